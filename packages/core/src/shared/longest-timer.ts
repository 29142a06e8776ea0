/** What clocks can count, in milliseconds; they take more for no time at all. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1
