// Tells of `npm run test:deep` what can be quoted: a line when a property has been checked, and all lines together at the end.

export default class DeepReporter {
  #lines = []

  onTestCaseResult(testCase) {
    const line = deepLine(testCase)
    if (!line) return
    this.#lines.push(line)
    console.log(line)
  }

  onTestRunEnd() {
    if (this.#lines.length > 0) console.log(`\n${this.#lines.toSorted().join('\n')}\n`)
  }
}

/** `R08 10000 streams, seed 123, in 12.3 s: passed (900 error, 9100 stop)`; undefined for a test that is of no property. */
export function deepLine(testCase) {
  const { deep } = testCase.meta()
  if (!deep) return undefined
  const { name, count, unit, seed, kinds } = deep
  const seconds = ((testCase.diagnostic()?.duration ?? 0) / 1000).toFixed(1)
  const told = Object.entries(kinds)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([kind, number]) => `${number} ${kind}`)
  const { state, errors = [] } = testCase.result()
  const why = errors.map(({ message }) => message.split('\n')[0])
  const more = [...told, ...why].join(', ')
  return `${name} ${count} ${unit} seed ${seed} in ${seconds} s: ${state}${more === '' ? '' : ` (${more})`}`
}
