import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { root } from '../packages.mjs'
import { importsOf, sources } from './files.mjs'

const folder = join(root, 'server', 'console', 'src')

/** The console asks its server by the client alone, and shows what models and tools say as text alone. */
export function* checkConsole() {
  const ours = new Set(['@svc/sdk/remote', '@svc/core/client'])
  for (const file of sources(folder)) {
    const path = relative(root, file)
    for (const target of importsOf(file)) {
      const isOutside = target.startsWith('.') && relative(folder, resolve(dirname(file), target)).startsWith('..')
      if (isOutside || (target.startsWith('@svc/') && !ours.has(target)))
        yield `${path} must not import ${target}: of svc it imports ${[...ours].join(' and ')}`
    }
    const text = readFileSync(file, 'utf8')
    // The clock hands that client a `fetch` that looks at the server's time.
    const isClock = path.endsWith('session/clock.ts')
    for (const [found] of isClock
      ? []
      : text.matchAll(/\b(?:fetch\(|EventSource|XMLHttpRequest|WebSocket|sendBeacon)/g))
      yield `${path} names ${found}: the client of @svc/sdk makes every request`
    for (const [found] of text.matchAll(
      /\b(?:dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|srcdoc)\b/g,
    ))
      yield `${path} names ${found}: what a model or a tool said is shown as text`
  }
}

/**
 * All styles of the console stand in one page, and stay there, whichever view they were loaded for. So a class that begins
 * a rule is of one stylesheet, and only markup beside that has it. What every view uses is in `parts` and `styles`.
 */
export function* checkStyles() {
  const paths = readdirSync(folder, { recursive: true })
  const markup = paths.filter((name) => name.endsWith('.tsx')).map((path) => [path, classesIn(join(folder, path))])
  const owners = new Map()
  for (const path of paths.filter((name) => name.endsWith('.css'))) {
    const text = readFileSync(join(folder, path), 'utf8').replaceAll(/\/\*.*?\*\//gs, '')
    const classes = new Set([...text.matchAll(/(?:^|[{},])\s*\.([\w-]+)/g)].map(([, name]) => name))
    const isShared = /^(?:parts|styles)\//.test(path)
    for (const name of classes) {
      const other = owners.get(name)
      if (other === undefined) owners.set(name, path)
      else yield `server/console/src/${path} styles .${name}, which is of ${other}`
      for (const [user, used] of isShared ? [] : markup) {
        if (!used.has(name) || user.startsWith(`${dirname(path)}/`)) continue
        yield `server/console/src/${path} styles .${name} wherever it is, and ${user} has it: begin with its own`
      }
    }
  }
}

function classesIn(path) {
  const attributes = readFileSync(path, 'utf8').matchAll(/\bclass=(?:"([^"]*)"|\{([^\n]*))/g)
  const texts = [...attributes].flatMap(([, plain, code]) => plain ?? code.match(/'[^']*'|`[^`]*`/g) ?? [])
  return new Set(texts.flatMap((text) => text.match(/[\w-]+/g) ?? []))
}
