/** What a person typed as an answer: JSON where it is some, else the text as it stands. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
