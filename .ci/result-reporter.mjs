// A reporter for `node --test` that writes one JSON line for each test: what conformance.mjs counts.
export default async function* resultReporter(events) {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const ran = data.skip === undefined && data.todo === undefined
    yield `${JSON.stringify({ name: data.name, passed: type === 'test:pass', ran })}\n`
  }
}
