const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Characters that take no column of their own. */
const NO_WIDTH = /^[\p{M}\p{Cf}\p{Cc}]+$/u
/** Characters that a terminal shows as pictures, two columns wide. */
const PICTURE = /^\p{Emoji_Presentation}|^\p{Extended_Pictographic}.*\ufe0f|^[\u{1f1e6}-\u{1f1ff}]{2}/u
/** The wide and fullwidth blocks of East Asian scripts. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u
/** Most text is this, and needs no table. */
const NARROW = /^[\x20-\x7e]*$/

/** The characters of a text as a reader sees them, each with the columns that it takes in a terminal. */
export function* columnsOf(text: string): Generator<{ char: string; width: number }> {
  if (NARROW.test(text)) {
    for (const char of text) yield { char, width: 1 }
    return
  }
  for (const { segment } of graphemes.segment(text)) yield { char: segment, width: widthOfGrapheme(segment) }
}

/** The columns that a text takes in a terminal. It must hold no control characters. */
export function displayWidth(text: string): number {
  if (NARROW.test(text)) return text.length
  let sum = 0
  for (const { width } of columnsOf(text)) sum += width
  return sum
}

function widthOfGrapheme(segment: string): number {
  if (NO_WIDTH.test(segment)) return 0
  return PICTURE.test(segment) || WIDE.test(segment) ? 2 : 1
}

/** The beginning of a text that fits into so many columns, with an ellipsis where something was cut. */
export function truncate(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  if (columns < 1) return ''
  let used = 0
  let kept = ''
  for (const { char, width } of columnsOf(text)) {
    if (used + width > columns - 1) break
    used += width
    kept += char
  }
  return `${kept.trimEnd()}…`
}

/** The end of a text that fits into so many columns, with an ellipsis before it where something was cut. */
export function truncateStart(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  if (columns < 1) return ''
  let used = 0
  const kept: string[] = []
  for (const { char, width } of [...columnsOf(text)].reverse()) {
    if (used + width > columns - 1) break
    used += width
    kept.unshift(char)
  }
  return `…${kept.join('').trimStart()}`
}
