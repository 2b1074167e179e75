import type { Cite } from '../cite.ts'
import { at } from '../cite.ts'
import type { Excerpt } from './formats.ts'
import { numbered } from './formats.ts'
import { readJsonLines } from './json-lines.ts'
import type { DataNode } from './node.ts'
import { findNode } from './node.ts'
import { readTomlLines } from './toml-lines.ts'

export type Ecosystem = 'npm' | 'python' | 'rust' | 'go'

/** A fact of a manifest. */
export interface Fact {
  readonly value: string
  readonly cites: readonly Cite[]
}

/** A name with what belongs to it: a dependency and its range, a script and its command. */
export interface NamedFact extends Fact {
  readonly name: string
}

/** Files that describe a package, the most telling first. */
export const MANIFEST_NAMES = ['package.json', 'pyproject.toml', 'setup.cfg', 'setup.py', 'Cargo.toml', 'go.mod']

const FIELDS: Readonly<Record<string, Readonly<Record<'npm' | 'python' | 'rust' | 'go', readonly string[]>>>> = {
  name: {
    npm: ['name'],
    python: ['project.name', 'tool.poetry.name', 'metadata.name', 'name'],
    rust: ['package.name'],
    go: ['module'],
  },
  version: {
    npm: ['version'],
    python: ['project.version', 'tool.poetry.version', 'metadata.version', 'version'],
    rust: ['package.version'],
    go: [],
  },
  description: {
    npm: ['description'],
    python: ['project.description', 'tool.poetry.description', 'metadata.description', 'description'],
    rust: ['package.description'],
    go: [],
  },
  license: {
    npm: ['license', 'license.type', 'licenses.0.type'],
    python: [
      'project.license',
      'project.license.text',
      'project.license.file',
      'tool.poetry.license',
      'metadata.license',
      'license',
    ],
    rust: ['package.license'],
    go: [],
  },
  author: {
    npm: ['author', 'author.name', 'contributors.0', 'contributors.0.name'],
    python: ['project.authors.0', 'project.authors.0.name', 'tool.poetry.authors.0', 'metadata.author', 'author'],
    rust: ['package.authors.0'],
    go: [],
  },
  homepage: {
    npm: ['homepage'],
    python: ['project.urls.Homepage', 'project.urls.homepage', 'tool.poetry.homepage', 'metadata.url', 'url'],
    rust: ['package.homepage'],
    go: [],
  },
  repository: {
    npm: ['repository', 'repository.url'],
    python: ['project.urls.Repository', 'project.urls.repository', 'project.urls.Source', 'tool.poetry.repository'],
    rust: ['package.repository'],
    go: [],
  },
  bugs: { npm: ['bugs', 'bugs.url'], python: ['project.urls.Issues', 'project.urls."Bug Tracker"'], rust: [], go: [] },
  type: { npm: ['type'], python: [], rust: ['package.edition'], go: [] },
  main: { npm: ['main'], python: [], rust: ['lib.path'], go: [] },
  module: { npm: ['module'], python: [], rust: [], go: [] },
  types: { npm: ['types', 'typings'], python: [], rust: [], go: [] },
  private: { npm: ['private'], python: [], rust: [], go: [] },
  packageManager: { npm: ['packageManager'], python: ['build-system.build-backend'], rust: [], go: [] },
  sideEffects: { npm: ['sideEffects'], python: [], rust: [], go: [] },
}

const GROUPS: Readonly<Record<string, Readonly<Record<Ecosystem, readonly string[]>>>> = {
  scripts: { npm: ['scripts'], python: ['tool.poetry.scripts', 'tool.hatch.envs.default.scripts'], rust: [], go: [] },
  dependencies: {
    npm: ['dependencies'],
    python: ['project.dependencies', 'tool.poetry.dependencies', 'options.install_requires', 'install_requires'],
    rust: ['dependencies'],
    go: ['require'],
  },
  devDependencies: {
    npm: ['devDependencies'],
    python: [
      'tool.poetry.dev-dependencies',
      'dependency-groups.dev',
      'project.optional-dependencies.dev',
      'tool.poetry.group.dev.dependencies',
    ],
    rust: ['dev-dependencies'],
    go: [],
  },
  peerDependencies: { npm: ['peerDependencies'], python: [], rust: [], go: [] },
  optionalDependencies: { npm: ['optionalDependencies'], python: ['project.optional-dependencies'], rust: [], go: [] },
  engines: {
    npm: ['engines'],
    python: [
      'project.requires-python',
      'tool.poetry.dependencies.python',
      'options.python_requires',
      'python_requires',
    ],
    rust: ['package.rust-version'],
    go: ['go'],
  },
  keywords: {
    npm: ['keywords'],
    python: ['project.keywords', 'tool.poetry.keywords'],
    rust: ['package.keywords'],
    go: [],
  },
  maintainers: { npm: ['maintainers'], python: ['project.maintainers'], rust: [], go: [] },
  workspaces: {
    npm: ['workspaces', 'workspaces.packages'],
    python: ['tool.uv.workspace.members'],
    rust: ['workspace.members'],
    go: [],
  },
  bin: {
    npm: ['bin'],
    python: ['project.scripts', 'project.entry-points.console_scripts', 'tool.poetry.scripts'],
    rust: ['bin'],
    go: [],
  },
  files: { npm: ['files'], python: [], rust: [], go: [] },
  exports: { npm: ['exports'], python: [], rust: [], go: [] },
  browser: { npm: ['browser'], python: [], rust: [], go: [] },
  funding: { npm: ['funding'], python: [], rust: [], go: [] },
}

/** Names of the single facts and of the groups of facts that a manifest can answer. */
export const FACT_NAMES = Object.keys(FIELDS)
export const GROUP_NAMES = Object.keys(GROUPS)

/** A manifest as it was read: every fact with the line it stands on. */
export class Manifest {
  readonly path: string
  /** Empty for the workspace itself, else it ends with `/`. */
  readonly folder: string
  readonly ecosystem: Ecosystem
  readonly nodes: readonly DataNode[]
  /** Whether every line of the file was read. */
  readonly isWhole: boolean

  constructor(excerpt: Excerpt) {
    this.path = excerpt.path
    this.isWhole = excerpt.first === 1 && excerpt.lines.length >= excerpt.total
    this.folder = excerpt.path.replace(/[^/]*$/, '')
    const file = excerpt.path.slice(this.folder.length)
    this.ecosystem =
      file === 'package.json' ? 'npm' : file === 'Cargo.toml' ? 'rust' : file === 'go.mod' ? 'go' : 'python'
    this.nodes = readNodes(file, excerpt)
  }

  /** A single fact, or undefined when the manifest does not say. */
  fact(field: string): Fact | undefined {
    for (const path of FIELDS[field]?.[this.ecosystem] ?? []) {
      const node = this.find(path)
      if (node?.type === 'leaf' && node.value !== null && node.value !== '')
        return { value: String(node.value), cites: [at(this.path, node.line)] }
    }
    return undefined
  }

  /** The facts of a group, in the order of the file; empty when there are none. */
  group(field: string): NamedFact[] {
    for (const path of GROUPS[field]?.[this.ecosystem] ?? []) {
      const node = this.find(path)
      if (!node) continue
      if (node.type === 'leaf') return this.readLeaf(node, field)
      const inside = this.nodes.filter((other) => other.type === 'leaf' && isBelow(other, node))
      const named =
        field === 'exports' || field === 'browser'
          ? inside
          : inside.filter((other) => other.path.length === node.path.length + 1)
      const facts = (named.length > 0 ? named : inside).map((leaf) => this.asNamed(leaf, node))
      if (facts.length > 0) return facts
    }
    return []
  }

  /** The line that holds the name, for sentences about the package. */
  nameCites(): readonly Cite[] {
    return this.fact('name')?.cites ?? []
  }

  private find(path: string): DataNode | undefined {
    const keys = path.split('.').map((key) => (/^\d+$/.test(key) ? Number(key) : key))
    return findNode(this.nodes, ...keys)
  }

  private readLeaf(node: DataNode, field: string): NamedFact[] {
    const value = String(node.value ?? '')
    const items = value.includes('\n') ? value.split('\n').filter((item) => item.trim() !== '') : [value]
    return items.map((item) => {
      if (field === 'engines') return { name: this.ecosystem, value: item, cites: [at(this.path, node.line)] }
      if (field === 'bin')
        return {
          name: this.fact('name')?.value ?? '',
          value: item,
          cites: [at(this.path, node.line), ...this.nameCites()],
        }
      return { name: item, value: '', cites: [at(this.path, node.line, node.end)] }
    })
  }

  private asNamed(leaf: DataNode, group: DataNode): NamedFact {
    const keys = leaf.path.slice(group.path.length)
    const value = String(leaf.value ?? '')
    const cites = [at(this.path, leaf.line)]
    const isListed = group.type === 'array'
    if (isListed) {
      const requirement = /^([A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?)\s*([<>=!~^].*)?$/.exec(value)
      return { name: requirement?.[1] ?? value, value: requirement?.[2] ?? '', cites }
    }
    if (keys.length === 1) return { name: String(keys[0]), value, cites }
    const parent = this.nodes.find((node) => node.path.length === group.path.length + 1 && isBelow(leaf, node))
    return {
      name: keys.join(' '),
      value,
      cites: parent ? [at(this.path, parent.line), ...(parent.line === leaf.line ? [] : cites)] : cites,
    }
  }
}

const isBelow = (node: DataNode, group: DataNode): boolean =>
  node.path.length > group.path.length && group.path.every((key, index) => node.path[index] === key)

function readNodes(file: string, excerpt: Excerpt): DataNode[] {
  if (file.endsWith('.json')) return readJsonLines(excerpt)
  if (file === 'setup.py') return readSetupCall(excerpt)
  if (file === 'go.mod') return readGoMod(excerpt)
  const nodes = readTomlLines(excerpt)
  return file === 'setup.cfg' ? joinIndented(nodes, excerpt) : nodes
}

/** The keyword arguments of `setup(...)`, and the lists among them. */
function readSetupCall(excerpt: Excerpt): DataNode[] {
  const nodes: DataNode[] = []
  let open: { key: string; count: number; node: DataNode } | undefined
  for (const { line, text } of numbered(excerpt)) {
    const start = /^\s*([a-z_]+)\s*=\s*(.*)$/.exec(text)
    const rest = start?.[2] ?? ''
    if (!open && start && rest.startsWith('[')) {
      open = {
        key: start[1] ?? '',
        count: 0,
        node: { path: [start[1] ?? ''], value: undefined, type: 'array', line, end: line },
      }
      nodes.push(open.node)
    } else if (!open && start) {
      const value = /^(?:"([^"]*)"|'([^']*)')/.exec(rest)
      if (value)
        nodes.push({ path: [start[1] ?? ''], value: value[1] ?? value[2] ?? '', type: 'leaf', line, end: line })
      continue
    }
    if (!open) continue
    for (const item of text.matchAll(/"([^"]*)"|'([^']*)'/g))
      nodes.push({ path: [open.key, open.count++], value: item[1] ?? item[2] ?? '', type: 'leaf', line, end: line })
    open.node.end = line
    if (text.replace(/"[^"]*"|'[^']*'/g, '').includes(']')) open = undefined
  }
  return nodes
}

/** Values of an INI file that stand indented under their key. */
function joinIndented(nodes: readonly DataNode[], excerpt: Excerpt): DataNode[] {
  const lines = numbered(excerpt)
  return nodes.flatMap((node) => {
    if (node.value !== '') return [node]
    const items: DataNode[] = []
    for (const { line, text } of lines.filter((other) => other.line > node.line)) {
      if (!/^\s+\S/.test(text)) break
      items.push({ path: [...node.path, items.length], value: text.trim(), type: 'leaf', line, end: line })
    }
    return [{ ...node, value: undefined, type: 'array' as const, end: items.at(-1)?.line ?? node.line }, ...items]
  })
}

function readGoMod(excerpt: Excerpt): DataNode[] {
  const nodes: DataNode[] = []
  let inRequire = false
  for (const { line, text } of numbered(excerpt)) {
    const single = /^(module|go)\s+(\S+)/.exec(text)
    if (single) nodes.push({ path: [single[1] ?? ''], value: single[2] ?? '', type: 'leaf', line, end: line })
    if (/^require\s*\(/.test(text)) inRequire = true
    else if (text.startsWith(')')) inRequire = false
    const required = /^(?:require\s+|\s+)([^\s()]+)\s+(v\S+)/.exec(text)
    if (!required || (!inRequire && !text.startsWith('require'))) continue
    if (!findNode(nodes, 'require'))
      nodes.push({ path: ['require'], value: undefined, type: 'object', line, end: line })
    nodes.push({ path: ['require', required[1] ?? ''], value: required[2] ?? '', type: 'leaf', line, end: line })
  }
  return nodes
}

/** Every path that the manifest names as a way in: main, module, types, bin, exports; without `./`, none twice. */
export function entryPaths(manifest: Manifest): string[] {
  const values = [
    ...['main', 'module', 'types'].map((field) => manifest.fact(field)?.value),
    ...manifest.group('bin').map((fact) => fact.value),
    ...manifest.group('exports').map((fact) => fact.value || fact.name),
  ]
  const paths = values.filter((value) => value !== undefined && /^[\w./@-]+$/.test(value) && /\.\w+$/.test(value))
  return [...new Set(paths.map((path) => manifest.folder + String(path).replace(/^\.\//, '')))]
}
