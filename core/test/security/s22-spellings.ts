/** Ways to spell an import of a file that changes after `svc trust`. Each file that is imported leaves a canary when it runs. */

/** A project, and which file of it changes: `files` are those that were looked at and trusted. */
export interface Spelling {
  files: Record<string, unknown>
  changes: string
}

/** In parts, because bundling this file would put its own place there. */
const META = ['import', 'meta'].join('.')

const main = (code: string): Record<string, unknown> => ({ 'svc.config.ts': `${code}\nexport default {}\n` })
const tool = (code: string): Record<string, unknown> => ({
  '.svc/tools/t.ts': `${code}\nexport default { description: 'x', parameters: {}, risk: 'read', run() {} }\n`,
})
const pkg = (name: string, more: object = {}): Record<string, unknown> => ({
  [`node_modules/${name}/package.json`]: { name, version: '1.0.0', ...more },
})

/** By a name that says what is special. */
export const SPELLINGS: Record<string, Spelling> = {
  'import of ..': { files: { ...tool("import '..'"), '.svc/index.ts': '' }, changes: '.svc/index.ts' },
  'import of .': { files: { ...main("import '.'"), 'index.ts': '' }, changes: 'index.ts' },
  'a query': { files: { ...main("import './h.ts?v=1'"), 'h.ts': '' }, changes: 'h.ts' },
  'a fragment': { files: { ...main("import './h.ts#v'"), 'h.ts': '' }, changes: 'h.ts' },
  'a quote in a comment before it': { files: { ...main("/* \"/ */ import './h.ts'"), 'h.ts': '' }, changes: 'h.ts' },
  'an escaped letter': { files: { ...main("import './lib/\\h.ts'"), 'lib/h.ts': '' }, changes: 'lib/h.ts' },
  'a continued line': { files: { ...main("import './lib/\\\nh.ts'"), 'lib/h.ts': '' }, changes: 'lib/h.ts' },
  'an octal escape': {
    files: { 'svc.config.cjs': "require('\\56/h.cjs')\nmodule.exports = {}", 'h.cjs': '' },
    changes: 'h.cjs',
  },
  'require of an ending that is no code': {
    files: { 'svc.config.cjs': "require('./h.txt')\nmodule.exports = {}", 'h.txt': '' },
    changes: 'h.txt',
  },
  'a percent sign': { files: { ...main("import './%68.mjs'"), 'h.mjs': '' }, changes: 'h.mjs' },
  '#imports with a star': {
    files: { ...main("import '#lib/h'"), 'package.json': { imports: { '#lib/*': './lib/*.ts' } }, 'lib/h.ts': '' },
    changes: 'lib/h.ts',
  },
  'exports of its own with a star': {
    files: {
      ...main("import 'own/h'"),
      'package.json': { name: 'own', exports: { './*': './lib/*.ts' } },
      'lib/h.ts': '',
    },
    changes: 'lib/h.ts',
  },
  'a name that is made while running': {
    files: { ...main("await import('./' + ['h', 'ts'].join('.'))"), 'h.ts': '' },
    changes: 'h.ts',
  },
  'require by a name that is made while running': {
    files: { 'svc.config.cjs': "require('./' + ['h', 'cjs'].join('.'))\nmodule.exports = {}", 'h.cjs': '' },
    changes: 'h.cjs',
  },
  createRequire: {
    files: {
      ...main(`import { createRequire } from 'node:module'\ncreateRequire(${META}.url)('./' + ['h', 'cjs'].join('.'))`),
      'h.cjs': '',
    },
    changes: 'h.cjs',
  },
  getBuiltinModule: {
    files: {
      ...main(`process.getBuiltinModule('module').createRequire(${META}.url)('./' + ['h', 'cjs'].join('.'))`),
      'h.cjs': '',
    },
    changes: 'h.cjs',
  },
  'getBuiltinModule of globalThis': {
    files: {
      ...main(
        `globalThis.process?.getBuiltinModule?.('node:module').createRequire(${META}.url)('./' + ['h', 'cjs'].join('.'))`,
      ),
      'h.cjs': '',
    },
    changes: 'h.cjs',
  },
  'getBuiltinModule of the module process': {
    files: {
      ...tool(
        `import { getBuiltinModule } from 'node:process'\ngetBuiltinModule('module').createRequire(${META}.url)('../../' + ['h', 'cjs'].join('.'))`,
      ),
      'h.cjs': '',
    },
    changes: 'h.cjs',
  },
  'getBuiltinModule, called by a function of Node': {
    files: {
      'svc.config.cjs':
        "const [m] = ['module'].map(process.getBuiltinModule)\nconst path = require('path').join(__dirname, ['h', 'cjs'].join('.'))\nm._load?.(path)\nm.createRequire(__filename)(path)\nmodule.exports = {}",
      'h.cjs': '',
    },
    changes: 'h.cjs',
  },
  'getBuiltinModule in a promise': {
    files: {
      ...main(
        `const m = await Promise.resolve('module').then((name) => process.getBuiltinModule(name))\nm.createRequire(${META}.url)('./' + ['h', 'cjs'].join('.'))`,
      ),
      'h.cjs': '',
    },
    changes: 'h.cjs',
  },
  'getBuiltinModule that nobody on the stack calls': {
    files: {
      ...main(
        `const m = await Promise.resolve('module').then(process.getBuiltinModule)\nm.createRequire(${META}.url)('./' + ['h', 'cjs'].join('.'))`,
      ),
      'h.cjs': '',
    },
    changes: 'h.cjs',
  },
  'getBuiltinModule in a package': {
    files: {
      ...main("import 'helper'"),
      ...pkg('helper', { main: 'a.js' }),
      'node_modules/helper/a.js':
        "process.getBuiltinModule('module').createRequire(__filename)('../../' + ['h', 'cjs'].join('.'))",
      'h.cjs': '',
    },
    changes: 'h.cjs',
  },
  'getBuiltinModule in eval': {
    files: {
      ...main(
        `const from = ${META}.url\neval("process.getBuiltinModule('module').createRequire(from)('./' + ['h', 'cjs'].join('.'))")`,
      ),
      'h.cjs': '',
    },
    changes: 'h.cjs',
  },
  'getBuiltinModule in a new Function': {
    files: {
      ...main(
        `new Function('from', "process.getBuiltinModule('module').createRequire(from)('./' + ['h', 'cjs'].join('.'))")(${META}.url)`,
      ),
      'h.cjs': '',
    },
    changes: 'h.cjs',
  },
  'the main module of the process': {
    files: {
      'svc.config.cjs':
        "process.mainModule?.require(require('path').join(__dirname, ['h', 'cjs'].join('.')))\nmodule.exports = {}",
      'h.cjs': '',
    },
    changes: 'h.cjs',
  },
  'hooks of Node': {
    files: {
      ...main(
        `import * as node from 'node:module'\nnode.default.register?.('./' + ['h', 'mjs'].join('.'), ${META}.url)\nawait new Promise((resolve) => setTimeout(resolve, 300))`,
      ),
      'h.mjs': '',
    },
    changes: 'h.mjs',
  },
  'import in a new Function': {
    files: { ...main(`await new Function('at', 'return import(at + "/h.mjs")')(${META}.dirname)`), 'h.mjs': '' },
    changes: 'h.mjs',
  },
  'import in a function that a promise makes': {
    files: {
      ...main(
        `const run = await Promise.resolve('return import(' + JSON.stringify(${META}.dirname + '/h.mjs') + ')').then(Function)\nawait run()`,
      ),
      'h.mjs': '',
    },
    changes: 'h.mjs',
  },
  'import in a function of another kind': {
    files: {
      ...main(
        `await Object.getPrototypeOf(async () => {}).constructor('at', 'return import(at + "/h.mjs")')(${META}.dirname)`,
      ),
      'h.mjs': '',
    },
    changes: 'h.mjs',
  },
  'the extensions of Node': {
    files: {
      'svc.config.cjs':
        "const { Module } = require('module')\nModule._extensions?.['.cjs']?.(new Module('x'), require('path').join(__dirname, 'h.cjs'))\nmodule.exports = {}",
      'h.cjs': '',
    },
    changes: 'h.cjs',
  },
  'the module object': {
    files: { 'svc.config.cjs': "module.require('./' + ['h', 'cjs'].join('.'))\nmodule.exports = {}", 'h.cjs': '' },
    changes: 'h.cjs',
  },
  'the constructor of the module object': {
    files: {
      'svc.config.cjs':
        "const load = module.constructor._load\nload?.(require('path').join(__dirname, ['h', 'cjs'].join('.')))\nmodule.exports = {}",
      'h.cjs': '',
    },
    changes: 'h.cjs',
  },
  'import in eval': {
    files: { ...main(`await eval("import('" + ${META}.dirname + "/h.mjs')")`), 'h.mjs': '' },
    changes: 'h.mjs',
  },
  'a data: URL that imports': {
    files: {
      ...main(`await import('data:text/javascript,import ' + JSON.stringify(new URL('h.mjs', ${META}.url).href))`),
      'h.mjs': '',
    },
    changes: 'h.mjs',
  },
  'a package of the folder': {
    files: { ...main("import 'helper'"), ...pkg('helper', { main: 'a.js' }), 'node_modules/helper/a.js': '' },
    changes: 'node_modules/helper/a.js',
  },
  'a package as an ES module': {
    files: {
      ...main("import 'helper'"),
      ...pkg('helper', { type: 'module', exports: './a.js' }),
      'node_modules/helper/a.js': "import './b.js'",
      'node_modules/helper/b.js': '',
    },
    changes: 'node_modules/helper/b.js',
  },
  'what a package depends on': {
    files: {
      ...main("import 'helper'"),
      ...pkg('helper', { main: 'a.js', dependencies: { deep: '1' } }),
      'node_modules/helper/a.js': "require('deep')",
      ...pkg('deep', { main: 'd.js' }),
      'node_modules/deep/d.js': '',
    },
    changes: 'node_modules/deep/d.js',
  },
  'a package that is named in data': {
    files: {
      'svc.config.json': { plugins: ['helper'] },
      ...pkg('helper', { main: 'a.js' }),
      'node_modules/helper/a.js': "module.exports = { name: 'helper', apply() {} }",
    },
    changes: 'node_modules/helper/a.js',
  },
  'which file a package names as its main one': {
    files: {
      ...main("import 'helper'"),
      ...pkg('helper', { main: 'a.js' }),
      'node_modules/helper/a.js': '',
      'docs/b.js': '',
    },
    changes: 'node_modules/helper/package.json',
  },
  'a package that was not there': {
    files: { ...main("try { await import('late' + 'r') } catch {}") },
    changes: 'node_modules/later/index.js',
  },
  'a package above the folder': {
    files: {
      '.svc/tools/t.ts': "import 'helper'\nexport default {}",
      ...pkg('helper', { main: 'a.js' }),
      'node_modules/helper/a.js': '',
    },
    changes: 'node_modules/helper/a.js',
  },
  'JSON that code requires': {
    files: {
      'svc.config.cjs': "const { run } = require('./' + 'h.json')\nif (run) eval(run)\nmodule.exports = {}",
      'h.json': { run: '' },
    },
    changes: 'h.json',
  },
  'a name that ends in nothing': { files: { ...main("import './h'"), h: '' }, changes: 'h' },
  'a template with an expression': {
    files: { ...main('const n = 1\nawait import(`./h$' + '{n}.ts`)'), 'h1.ts': '' },
    changes: 'h1.ts',
  },
  're-export by a star': { files: { ...main("export * from '.\\u002fh.ts'"), 'h.ts': '' }, changes: 'h.ts' },
  'import equals': { files: { ...main("import h = require('./h.cjs')\nvoid h"), 'h.cjs': '' }, changes: 'h.cjs' },
}

/** What the file that changes holds afterwards. */
export function changedText({ changes }: Spelling, canary: string): string {
  const leave = `require('fs').writeFileSync(${JSON.stringify(canary)}, 'ran')`
  if (changes.endsWith('.json') && changes.startsWith('node_modules'))
    return JSON.stringify({ name: 'helper', main: '../../docs/b.js' })
  if (changes.endsWith('.json')) return JSON.stringify({ run: leave })
  if (changes.endsWith('.cjs') || changes.endsWith('.txt') || changes.includes('node_modules/'))
    return cjsOrEsm(changes, canary, leave)
  return `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(canary)}, 'ran')\n`
}

const cjsOrEsm = (file: string, canary: string, leave: string): string =>
  file.endsWith('b.js')
    ? `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(canary)}, 'ran')\n`
    : leave
