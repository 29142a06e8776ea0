/** Where an output stands in its project. */
export const OUTPUT_DIR = '.retinue/output'

/** The module of an output that names its last build, and exports what that exports. */
export const POINTER = 'application.js'
