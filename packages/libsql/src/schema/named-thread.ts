/** A row of `retinue_threads`, if its owner asks, or who says what its owner is called. Takes the two of a `ThreadKey`. */
export const NAMED: string = 'id = ? AND ? IN (resource_id, called_as)'

/** The sequence of such a thread; nothing, where it is somebody else's. */
export const NAMED_THREAD: string = `SELECT sequence FROM retinue_threads WHERE ${NAMED}`
