import { type Bundle, bundle } from '../src/build/bundle.ts'

/** Bundles a folder, beginning with a text that imports its files as `retinue:file/PATH`, without what serves a project. */
export function bundleEntry(root: string, entry: string): Promise<Bundle> {
  return bundle({ root, entry, project: Promise.resolve({ module: '', providers: [] }) })
}
