/** How long a title may be, in characters. */
const LONGEST_TITLE = 60

/** A text as a title: its first line that says something, cut at a word; empty if it says nothing. */
export function titleText(text: string): string {
  const line = text
    .toWellFormed()
    .split(/\r?\n/)
    .map((each) => each.replace(/\s+/gu, ' ').trim())
    .find((each) => each !== '')
  if (line === undefined) return ''
  const characters = [...new Intl.Segmenter().segment(line)].map(({ segment }) => segment)
  if (characters.length <= LONGEST_TITLE) return line
  const cut = characters.slice(0, LONGEST_TITLE - 1).join('')
  const space = cut.lastIndexOf(' ')
  // A cut at a word, unless one word is nearly all there is.
  return `${(space > cut.length / 2 ? cut.slice(0, space) : cut).trimEnd()}…`
}
