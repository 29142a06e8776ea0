export function textOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value)
}

export function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value)
}
