/** The one form in which a quotation stands in a reply. */
export function quoteLine(text: string, reference: string, data = false): string {
  if (data) return `- ${text}`
  return reference === '' ? `- “${text}”` : `- “${text}” — ${reference}`
}
