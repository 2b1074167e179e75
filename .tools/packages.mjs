/** The published packages, and what their manifests say. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** In the order of their imports. */
export const PACKAGES = ['core', 'plugins', 'sdk', 'server', 'cli']

/** Small packages that are worth more inside, and the vendors' clients, of whose 31 MB one is loaded; the rest stay dependencies. */
const BUNDLED = new Set(
  `@anthropic-ai/sdk cac cosmiconfig decimal.js diff eventemitter3 eventsource-parser ignore jsonc-parser marked openai
   picocolors smol-toml stemmer string-width tapable typebox`.split(/\s+/),
)

export const readManifest = (name) => JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8'))

/** The source file of each export, relative to the repository: `{ '.': 'core/src/index.ts' }`. */
export function readExports(name) {
  const targets = Object.entries(readManifest(name).exports ?? {})
  return Object.fromEntries(
    targets.flatMap(([subpath, target]) =>
      typeof target === 'string' ? [] : [[subpath, join(name, target['@svc/source'])]],
    ),
  )
}

/** Whether a bundle takes a module in: files, and the packages named above. */
export function isBundled(id) {
  if (id.startsWith('.') || id.startsWith('/')) return true
  return BUNDLED.has(id.startsWith('@') ? id.split('/').slice(0, 2).join('/') : id.split('/')[0])
}

/** The code of a module whose own place (`import.meta.url`) stays that of its source. */
export function keepPlace(code, id) {
  if (!code.includes('import.meta.') || id.includes('node_modules')) return undefined
  return code
    .replaceAll(/(?<!createRequire\()\bimport\.meta\.url\b/g, JSON.stringify(pathToFileURL(id).href))
    .replaceAll(/\bimport\.meta\.dirname\b/g, JSON.stringify(dirname(id)))
    .replaceAll(/\bimport\.meta\.filename\b/g, JSON.stringify(id))
}
