const REMARK =
  /^`[\w-]{1,64}` (?:did not complete|failed|was denied|was not called|returned nothing|notes|has not answered)\b/

/** What a planner below said of its own calls: it is no material, but it must not be lost. */
export function remarksIn(text: string): string[] {
  return text.split(/\r?\n/).filter(isRemark)
}

export function isRemark(line: string): boolean {
  return REMARK.test(line)
}
