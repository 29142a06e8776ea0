// Adds up the tests of a run and prints "N passed, N failed". `node .ci/count.mjs CONFORMANCE_JSON VITEST_JSON…`;
// the first file is absent where there is no conformance suite. A test run that left no report counts as one failure.
import { existsSync, readFileSync } from 'node:fs'

const [conformanceFile, ...vitestFiles] = process.argv.slice(2)
const read = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined)

function vitestCounts(report) {
  if (!report) return { passed: 0, failed: 1 }
  // A file that can't be loaded has failed without any of its tests failing.
  const broken = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
  return { passed: report.numPassedTests, failed: report.numFailedTests + broken.length }
}

const all = [...vitestFiles.map((file) => vitestCounts(read(file))), read(conformanceFile) ?? { passed: 0, failed: 0 }]
const sum = (key) => all.reduce((total, counts) => total + counts[key], 0)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
process.exitCode = sum('failed') > 0 || sum('passed') === 0 ? 1 : 0
