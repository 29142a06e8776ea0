import { describe, expect, test } from 'vitest'
import { LiveRegion } from './live-region.ts'
import type { Block } from './render-turn.ts'
import type { Screen } from './screen.ts'
import { span } from './styled-line.ts'
import { wrap } from './wrap.ts'

/** A terminal with what has scrolled off its top. */
class FakeScreen implements Screen {
  columns = 20
  rows = 6
  readonly colors = false
  redraws = 0
  #lines = ['']
  #row = 0

  write(text: string): void {
    for (const char of text) {
      if (char === '\n') {
        this.#row++
        if (this.#row === this.#lines.length) this.#lines.push('')
      } else this.#lines[this.#row] += char
    }
  }

  redraw(back: number, lines: readonly string[]): void {
    this.redraws++
    const top = Math.max(0, this.#lines.length - this.rows)
    this.#row = Math.max(top, this.#row - back)
    this.#lines = this.#lines.slice(0, this.#row)
    this.#lines.push('')
    for (const line of lines) {
      expect(line.length, `"${line}" is wider than the terminal`).toBeLessThanOrEqual(this.columns)
      this.write(`${line}\n`)
    }
  }

  /** All that was ever written and is not replaced, the row of the cursor left out. */
  get all(): string[] {
    return this.#lines.slice(0, -1)
  }
}

const block = (lines: readonly string[], settled = lines.length): Block => ({
  lines: lines.map((line) => [span(line)]),
  settled,
})
const numbered = (name: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${name}${at + 1}`)

describe('a region that is drawn in place', () => {
  test('replaces what it showed, and leaves what is above alone', () => {
    const screen = new FakeScreen()
    screen.write('above\n')
    const region = new LiveRegion(screen)
    region.draw([block(['one', 'two'])])
    region.draw([block(['one', 'three', 'four'])])
    region.draw([block(['five'])], true)
    expect(screen.all).toEqual(['above', 'five'])
    expect(region.whole).toBe(true)
  })

  test('writes nothing where nothing is new', () => {
    const screen = new FakeScreen()
    const region = new LiveRegion(screen)
    region.draw([block(['one', 'two'])])
    region.draw([block(['one', 'two'])])
    expect(screen.redraws).toBe(1)
  })

  test('a text that outgrows the screen scrolls away line by line, and every line is there once', () => {
    const screen = new FakeScreen()
    const region = new LiveRegion(screen)
    const lines = numbered('line ', 40)
    for (let count = 1; count <= 40; count++) {
      region.draw([block(lines.slice(0, count), count - 1), block([`status ${count}`], 0)])
    }
    expect(region.height).toBeLessThan(screen.rows)
    region.draw([block(lines), block(['', 'done'])], true)
    expect(screen.all).toEqual([...lines, '', 'done'])
    expect(region.whole).toBe(false)
  })

  test('empty lines and gaps between blocks stay when they scroll away', () => {
    const screen = new FakeScreen()
    const region = new LiveRegion(screen)
    const text = ['a', '', 'b', '', '', 'c', '', 'd', '', 'e', '', 'f', '', 'g']
    for (let count = 1; count <= text.length; count++) {
      region.draw([block(['tree']), block(['', ...text.slice(0, count)], count), block(['', 'status'], 0)])
    }
    region.draw([block(['tree']), block(['', ...text]), block(['', 'done'])], true)
    expect(screen.all).toEqual(['tree', '', ...text, '', 'done'])
  })

  test('of more running lines than fit the last are shown, and nothing of them is left behind', () => {
    const screen = new FakeScreen()
    const region = new LiveRegion(screen)
    region.draw([block(numbered('run ', 30), 0), block(['status'], 0)])
    expect(screen.all).toEqual(['… 27 more lines', 'run 28', 'run 29', 'run 30', 'status'])
    region.draw([block(numbered('done ', 30)), block(['end'])], true)
    expect(screen.all).toEqual([...numbered('done ', 30), 'end'])
  })

  test('collapsing shows fewer lines in the same place', () => {
    const screen = new FakeScreen()
    const region = new LiveRegion(screen)
    region.draw([block(['scout', 'peek', 'guide'], 0), block(['status'], 0)])
    region.draw([block(['scout'], 0), block(['status'], 0)])
    expect(screen.all).toEqual(['scout', 'status'])
  })

  test('a text of which a part is gone goes on at the same word when the width is another one', () => {
    const screen = new FakeScreen()
    const region = new LiveRegion(screen)
    const words = Array.from({ length: 90 }, (_, at) => `w${at}`)
    const draw = (count: number, last = false): void => {
      const lines = wrap(words.slice(0, count).join(' '), screen.columns)
      region.draw([block(lines, last ? lines.length : lines.length - 1), block(['status'], 0)], last)
    }
    draw(60)
    screen.columns = 33
    draw(75)
    screen.columns = 26
    draw(90, true)
    // A line of which a part was gone may be there twice, and so may those that a narrower screen had pushed up; none is missing.
    const seen = screen.all.join(' ').split(/\s+/)
    expect(words.filter((word) => !seen.includes(word))).toEqual([])
  })

  test('after it was detached it begins anew below', () => {
    const screen = new FakeScreen()
    const region = new LiveRegion(screen)
    region.draw([block(['one'])], true)
    region.detach()
    region.draw([block(['two'])])
    expect(screen.all).toEqual(['one', 'two'])
  })

  test('a narrower terminal has broken the lines that were drawn before', () => {
    const screen = new FakeScreen()
    const region = new LiveRegion(screen)
    region.draw([block(['0123456789abcdef', 'x'])])
    expect(region.height).toBe(2)
    screen.columns = 8
    expect(region.height).toBe(3)
  })
})
