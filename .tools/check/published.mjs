import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { toPublished } from '../pack-manifest.mjs'
import { readManifest, root } from '../packages.mjs'
import { findPublicTypes } from '../public-types.mjs'

/** What would be published: the built files, README and LICENSE, every target of `exports`, and nothing of the build itself. */
export function* checkTarball(name) {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: join(root, name),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [{ files }] = JSON.parse(output)
  const packed = new Set(files.map(({ path }) => path))
  const wrong = [...packed]
    .filter(
      (path) =>
        !/^(?:dist\/.*\.(?:js|d\.ts)|dist\/third-party\.txt|dist\/console\/(?:index\.html|assets\/[\w.-]+\.(?:css|svg|gz))|bin\/.*\.js|README\.md|LICENSE|package\.json)$/.test(
          path,
        ),
    )
    .map((path) => `packs ${path}`)
  const { exports, dependencies, peerDependencies, peerDependenciesMeta } = toPublished(readManifest(name))
  const { reached, hidden, imports } = findPublicTypes(name)
  for (const path of hidden) if (packed.has(`dist/${path}`)) wrong.push(`packs dist/${path}, which no export reaches`)
  for (const [target, file] of imports) {
    const isInstalled = target in { ...dependencies, ...peerDependencies } && !peerDependenciesMeta?.[target]?.optional
    if (!isInstalled && !target.startsWith('node:'))
      wrong.push(`names ${target} in ${file}, which may not be installed`)
  }
  const targets = Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? target : Object.values(target),
  )
  const types = reached.map((path) => `dist/${path}`)
  const missing = ['README.md', 'LICENSE', ...types, ...targets.map((target) => target.slice(2))]
    .filter((path) => !packed.has(path))
    .map((path) => `does not pack ${path}`)
  const license = (folder) => readFileSync(join(root, folder, 'LICENSE'), 'utf8')
  if (existsSync(join(root, name, 'LICENSE')) && license(name) !== license('.')) wrong.push('has another LICENSE')
  for (const finding of [...wrong, ...missing]) yield `${name} ${finding}`
}

/** What a browser loads of the built packages brings no module of Node along, not even one that a bundler could leave out. */
export async function* checkBrowser() {
  const entries = { '@svc/sdk/remote': 'sdk/dist/remote/index.js', '@svc/core/client': 'core/dist/client.js' }
  for (const [entry, path] of Object.entries(entries)) {
    if (!existsSync(join(root, path))) continue
    const bundle = await rolldown({
      input: join(root, path),
      platform: 'browser',
      treeshake: false,
      logLevel: 'silent',
    })
    const { output } = await bundle.generate({ format: 'esm' })
    await bundle.close()
    for (const { imports } of output) for (const name of imports ?? []) yield `${entry} brings ${name} into browsers`
  }
}
