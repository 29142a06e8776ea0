// All the ways in which one file names another.
import { walk } from './sources.mjs'

/** Imports and re-exports of a parsed file: `{ specifier, typeOnly, dynamic, offset }`, in source order. */
export function readImports({ program, module, source }) {
  const found = [
    ...module.staticImports.map(fromImport),
    ...module.staticExports.flatMap(fromExport),
    ...module.dynamicImports.flatMap((entry) => fromDynamic(entry, source)),
    ...fromTree(program),
  ]
  return found.sort((a, b) => a.offset - b.offset)
}

// `import './x'` has no entries and runs; `import type { A }` and `import { type A }` have only type entries.
function fromImport({ moduleRequest, entries, start }) {
  return {
    specifier: moduleRequest.value,
    typeOnly: entries.length > 0 && entries.every((entry) => entry.isType),
    dynamic: false,
    offset: start,
  }
}

function fromExport({ entries, start }) {
  const [first] = entries.filter((entry) => entry.moduleRequest)
  if (!first) return []
  const typeOnly = entries.every((entry) => entry.isType)
  return [{ specifier: first.moduleRequest.value, typeOnly, dynamic: false, offset: start }]
}

// `import(name)` with a computed name can't be decided here; a loader of users' files is the one who needs it.
function fromDynamic({ moduleRequest, start }, source) {
  const literal = /^(['"`])([^'"`$]*)\1$/.exec(source.slice(moduleRequest.start, moduleRequest.end))
  return literal ? [{ specifier: literal[2], typeOnly: false, dynamic: true, offset: start }] : []
}

// `typeof import('./x')` and `import x = require('x')` are in the tree only.
function fromTree(program) {
  const found = []
  walk(program, (node) => {
    if (node.type === 'TSImportType') {
      found.push({ specifier: node.source.value, typeOnly: true, dynamic: false, offset: node.start })
    } else if (node.type === 'TSExternalModuleReference') {
      found.push({ specifier: node.expression.value, typeOnly: false, dynamic: false, offset: node.start })
    }
  })
  return found
}
