// What `import '@retinue/core/agent'` loads, as JSON: the URL and the bytes of each module.
import { statSync } from 'node:fs'
import { registerHooks } from 'node:module'

const loaded = []
registerHooks({
  load(url, context, nextLoad) {
    loaded.push({ url, bytes: url.startsWith('file:') ? statSync(new URL(url)).size : 0 })
    return nextLoad(url, context)
  },
})

await import('@retinue/core/agent')
console.log(JSON.stringify(loaded))
