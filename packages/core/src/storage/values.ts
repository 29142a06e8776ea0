/** A value as the store keeps it: JSON. What JSON can't carry is refused when it is written (`storage-value-refused`). */
export type Value = string | number | boolean | null | readonly Value[] | Fields

/** Facts under names that the application chooses; any name will do, `__proto__` too. */
export interface Fields {
  readonly [name: string]: Value | undefined
}
