import { readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { PACKAGES, root } from '../packages.mjs'
import { sources } from './files.mjs'

/** A provider is asked and a tool is run in the two gateways, with their helpers, and nowhere else. */
export function* checkGateways() {
  const GATEWAYS = new Set([
    'core/src/runtime/calls/model/model-gateway.ts',
    'core/src/runtime/calls/model/read-answer.ts',
    'core/src/runtime/calls/tools/run-tool.ts',
    'core/src/runtime/calls/tools/tool-gateway.ts',
    'core/src/testing/check-provider.ts',
    'core/src/testing/conformance/tool-call.ts',
  ])
  for (const name of PACKAGES) {
    for (const file of sources(join(root, name, 'src'))) {
      const path = relative(root, file)
      if (GATEWAYS.has(path)) continue
      const text = readFileSync(file, 'utf8')
      const calls = [...text.matchAll(/\b(\w+)(?:\?)?\.(generate|complete|run)\(/g)].filter(
        ([, object, method]) =>
          method === 'generate' ||
          (method === 'complete' && /provider|adapter/i.test(object)) ||
          (method === 'run' && /^(tool|made|config|found)$/i.test(object)),
      )
      for (const [call] of calls) yield `${path} calls ${call}): only the gateways may`
    }
  }
}

/** What tools may do with files, the network and programs they do in the layers that ask the policy, and nowhere else. */
export function* checkLayers() {
  const tools = 'plugins/src/tools/'
  const layers = [
    {
      names: 'child_process|cluster|worker_threads',
      why: 'programs are started in the sandbox',
      below: '',
      // the person's own editor is no tool, nor is git that is asked what came with a folder, nor a server that the config starts
      may: [
        'cli/src/ask/own-editor.ts',
        // the system's own stty, while a run is shown
        'cli/src/terminal/silence.ts',
        'plugins/src/mcp/connect/stdio-transport.ts',
        'plugins/src/stores/sqlite/file/find-tracked.ts',
        `${tools}programs/run-program.ts`,
      ],
    },
    {
      names: 'fs|fs/promises',
      why: 'files are opened in workspace.ts',
      below: tools,
      may: [
        ...[
          'files/workspace.ts',
          'files/secret-files.ts',
          'files/find/walk.ts',
          'files/missing.ts',
          ...['folder-snapshot', 'path-state', 'put-back'].map((name) => `files/undo/${name}.ts`),
          'files/write-inside.ts',
          'git/git-names.ts',
          'git/git-programs.ts',
          'git/git-repository.ts',
          'programs/approved-files.ts',
          'programs/ask-about-program.ts',
          'programs/run-program.ts',
        ].map((name) => tools + name),
        ...[
          'control-group',
          'find-sandbox',
          'own-ports',
          'program-runner',
          'toolchains',
          'view',
          'watch-program',
          'workspace/guard',
          'workspace/find-sockets',
          'workspace/on-disk',
          'workspace/other-names',
          'workspace/scan',
          'workspace/set-aside',
          'workspace/set-id',
          'wrap',
        ].map((name) => `${tools}sandbox/${name}.ts`),
      ],
    },
    {
      names: 'https?|http2|net|tls|dgram|dns|dns/promises',
      why: 'the network is reached in guarded-fetch.ts',
      below: tools,
      may: [`${tools}web/guarded-fetch.ts`, `${tools}web/address.ts`],
    },
  ]
  for (const name of PACKAGES) {
    for (const file of sources(join(root, name, 'src'))) {
      const path = relative(root, file).split(sep).join('/')
      const text = readFileSync(file, 'utf8').replace(/^import type .*$/gm, '')
      for (const { names, why, below, may } of layers) {
        if (!path.startsWith(below) || may.includes(path)) continue
        const found = new RegExp(
          `(?:from|import|require|import\\(|require\\()\\s*['"\`](?:node:)?(?:${names})['"\`]`,
        ).exec(text)
        if (found !== null) yield `${path} names ${found[0]}: ${why}, by ${may.join(', ')}`
      }
    }
  }
}
