import { posix, relative } from 'node:path'
import { parseSync } from 'oxc-parser'
import { walk } from './sources.mjs'

const PLACE = '__moduleUrl'

/**
 * Keeps `import.meta.url` of a module what it was, relative to the folder of all modules, in whatever file the bundler puts it: what
 * stands beside the module is found beside it still.
 */
export function moduleUrls(src) {
  return {
    name: 'module-urls',
    transform: {
      filter: { code: /import\.meta/ },
      handler(code, id) {
        const place = relative(src, id).replaceAll('\\', '/').replace(/\.ts$/, '.js')
        return { code: withPlaces(code, id, `${PLACE}(${JSON.stringify(place)})`), map: null }
      },
    },
    renderChunk(code, { fileName }) {
      if (!code.includes(PLACE)) return null
      const call = new RegExp(`${PLACE}\\("([^"]+)"\\)`, 'g')
      const own = (_, place) => {
        const way = posix.relative(posix.dirname(fileName), place)
        return `new URL(${JSON.stringify(way.startsWith('.') ? way : `./${way}`)}, import.meta.url).href`
      }
      const placed = code.replace(call, own)
      if (placed.includes(PLACE))
        throw new Error(`${fileName}: the bundler has written a place in a way that is not known`)
      return { code: placed, map: null }
    },
  }
}

function withPlaces(code, id, text) {
  const uses = []
  walk(parseSync(id, code).program, (node) => {
    if (node.type === 'MetaProperty' && node.meta.name === 'import') uses.push(node)
  })
  let placed = code
  for (const { start, end } of uses.reverse()) {
    // A name of package.json means the same wherever the package asks for it.
    if (/^\.resolve\((?!['"`]\.)/.test(placed.slice(end, end + 11))) continue
    if (!placed.startsWith('.url', end))
      throw new Error(
        `${id}: of import.meta only "url" is what it was in a bundle, and "resolve" of a "#name": use these`,
      )
    placed = placed.slice(0, start) + text + placed.slice(end + '.url'.length)
  }
  return placed
}
