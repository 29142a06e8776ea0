/** Where an output stands in its project. */
export const OUTPUT_DIR = '.retinue/output'
