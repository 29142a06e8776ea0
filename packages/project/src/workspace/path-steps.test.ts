import { isRetinueError } from '@retinue/core/errors'
import { expect, test } from 'vitest'
import { type PathStyle, pathSteps } from './path-steps.ts'

function stepsOf(path: string, style: PathStyle): string {
  try {
    return pathSteps(path, style).join(' > ')
  } catch (error) {
    return isRetinueError(error) && error.code === 'workspace-path-refused' ? 'refused' : String(error)
  }
}

const STYLES: readonly PathStyle[] = ['linux', 'darwin', 'win32']

test.each(STYLES)('B11.9 S27 what could lead out is refused by its text (%s)', (style) => {
  const hostile = [
    ...['..', '../a', 'a/..', 'a/../..', './..', 'a//..', '/', '/etc/passwd', '//server/share', '/../a'],
    ...['C:\\Windows\\win.ini', 'c:a.txt', 'C:/a', 'z:', '..\\a', 'a\\b', '\\\\server\\share\\a', '\\\\?\\C:\\a'],
    ...['a\0', '\0', 'a\0/../b', 'a\nb', 'a\rb', 'a\tb', 'a\u007fb', '\ud800', 'a/\udc00'],
    ...['..\u200b', '\u200c..', '.\u200d.', '.\ufeff.', 'a/.\u2060./b', '\u200b'.concat('.')],
    ...['.~retinue-1', 'a/.~RETINUE-1', 'x'.repeat(1025), 'a/'.repeat(65)],
  ]
  for (const path of hostile) expect([path, stepsOf(path, style)]).toEqual([path, 'refused'])
})

test.each(STYLES)('B11.9 nothing is decoded or made the same: these are names like others (%s)', (style) => {
  const names = ['%2e%2e', '..%2f', '%00', '．．', '․․', '...', '~', '$HOME', 'A.TXT', 'é', 'constructor', '-rf']
  for (const name of style === 'win32' ? names.filter((name) => !name.endsWith('.')) : names) {
    expect(stepsOf(`./${name}//b`, style)).toBe(`${name} > b`)
  }
  expect(stepsOf('', style)).toBe('')
})

test('B11.9 on Windows devices, streams and names that the system changes are refused; elsewhere they are names', () => {
  const names = [
    ...['con', 'NUL', 'nul.txt', 'Com1', 'com¹.log', 'LPT9', 'CONIN$', 'aux.', ' con', 'prn .x', 'con .txt'],
    ...['a.', 'a ', '. ', '.. ', ' . .', '... ', 'a:b', 'a::$DATA', 'a?b', 'a*', '<a', 'a|b', '"a"'],
  ]
  const refused = names.filter((name) => stepsOf(`x/${name}/y`, 'win32') === 'refused')
  expect(refused).toEqual(names)
  for (const name of names) expect([name, stepsOf(`x/${name}/y`, 'linux')]).toEqual([name, `x > ${name} > y`])
  for (const name of ['console', 'com10', 'nula.txt', 'com', '.a', 'a b']) {
    expect(stepsOf(name, 'win32')).toBe(name)
  }
})
