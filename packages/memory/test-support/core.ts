// Crashes are simulated with the helpers of core, which are not published: this package's tests find them here.
export { EventClock } from '../../core/test-support/event-clock.ts'
export { MortalProcess } from '../../core/test-support/mortal-process.ts'
