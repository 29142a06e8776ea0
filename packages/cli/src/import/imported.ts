/** What an import writes, and what it could not carry over. */
export interface Imported {
  /** New files, by their paths in the project. */
  readonly files: ReadonlyMap<string, string>
  readonly left: readonly LeftOver[]
}

/** Something that did not come along as it was. */
export interface LeftOver {
  /** Where it stands in the source, as far as that is known. */
  readonly file: string
  readonly line?: number
  readonly what: string
  /** What to do about it. */
  readonly fix: string
}
