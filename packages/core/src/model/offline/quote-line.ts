/** The one form in which a quotation stands in a reply. */
export function quoteLine(text: string, reference: string): string {
  return reference === '' ? `- “${text}”` : `- “${text}” — ${reference}`
}
