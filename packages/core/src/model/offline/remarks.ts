const REMARK =
  /^(?:`[\w-]{1,64}` (?:did not complete|failed|was denied|was not called|returned nothing|notes|has not answered)\b|Left out, because the request says not to: |No tool of this agent fits this part of the request: |Nothing in the files that were read has to do with the request)/

/** What a planner below said of its own calls: it is no material, but it must not be lost. */
export function remarksIn(text: string): string[] {
  return text.split(/\r?\n/).filter(isRemark)
}

export function isRemark(line: string): boolean {
  return REMARK.test(line)
}

const REFUSAL =
  /^(?:None of this agent’s tools fits the request, so none was called\. It has:|There is no result to quote\. It has:|The request is empty, so no tool was called\. It has:|This agent has no tools, and no material to quote came with the request\..*)$/

/** That an agent below could do nothing is no material, and neither is the list of its tools. */
export function withoutRefusal(text: string): string {
  if (!/^(?:None of this agent|There is no result|The request is empty|This agent has no tools)/m.test(text))
    return text
  const kept: string[] = []
  let listing = false
  for (const line of text.split('\n')) {
    listing = REFUSAL.test(line) || (listing && (line.trim() === '' || /^- `[^`]{1,80}`(?::|$)/.test(line)))
    if (!listing) kept.push(line)
  }
  return kept.join('\n').trim()
}
