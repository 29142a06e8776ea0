export function startOutput(o: unknown): unknown {
  return o
}
