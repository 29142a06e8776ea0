const FENCE = /^[ \t]*(```|~~~)[\s\S]*?^[ \t]*\1/gm

/** A text in which blanks stand for its blocks of code, which are examples: what is found in it is at the same place in the text. */
export function proseOf(text: string): string {
  return text.replace(FENCE, (block) => block.replace(/[^\n]/g, ' '))
}
