import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

/** Packs each script and style once, and not with each request. */
const pack: Plugin = {
  name: 'pack',
  writeBundle({ dir = '' }, files) {
    for (const path of Object.keys(files).filter((name) => /\.(js|css)$/.test(name)))
      writeFileSync(join(dir, `${path}.gz`), gzipSync(readFileSync(join(dir, path)), { level: 9 }))
  },
}

const target = process.env.SVC_URL ?? 'http://127.0.0.1:4000'

/** The server takes requests of its own pages only: while the page is written, those of the development server are. */
const SAME_ORIGIN = { origin: target, host: new URL(target).host, 'sec-fetch-site': 'same-origin' }

/** The web console: static files with hashes in their names, beside the code of the server that serves them. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  plugins: [pack],
  // What is imported of the other packages is their source: the console is built with them, and after none of them.
  resolve: {
    conditions: ['@svc/source', 'browser', 'import', 'module', 'default'],
    alias: { react: 'preact/compat', 'react-dom': 'preact/compat', 'react/jsx-runtime': 'preact/jsx-runtime' },
  },
  // `npx vite server/console`: the page of the sources, over a server that runs (SVC_URL, default that of `svc serve`).
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/health', '/metrics', '/execute'].map((path) => [path, { target, headers: SAME_ORIGIN }]),
    ),
  },
  worker: { format: 'es' },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2023',
    // The page may load nothing but files of its own: no `data:` addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // `use client` of @xyflow/react is for pages that a server renders.
      onLog: (level, log, handle) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log)
      },
    },
  },
  logLevel: 'warn',
})
