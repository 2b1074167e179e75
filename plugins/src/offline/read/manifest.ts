import type { Cite } from '../cite.ts'
import { at } from '../cite.ts'
import type { Excerpt } from './formats.ts'
import { type Leaf, readSettings } from './settings.ts'

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
export const MANIFEST_NAMES = ['package.json', 'pyproject.toml']

/** Where each fact stands: in package.json, in pyproject.toml. */
const FIELDS: Readonly<Record<string, readonly [npm: readonly string[], python: readonly string[]]>> = {
  name: [['name'], ['project.name', 'tool.poetry.name']],
  version: [['version'], ['project.version', 'tool.poetry.version']],
  description: [['description'], ['project.description', 'tool.poetry.description']],
  license: [
    ['license', 'license.type', 'licenses.0.type'],
    ['project.license', 'project.license.text', 'project.license.file', 'tool.poetry.license'],
  ],
  author: [
    ['author', 'author.name', 'contributors.0', 'contributors.0.name'],
    ['project.authors.0', 'project.authors.0.name', 'tool.poetry.authors.0'],
  ],
  homepage: [['homepage'], ['project.urls.Homepage', 'project.urls.homepage', 'tool.poetry.homepage']],
  repository: [
    ['repository', 'repository.url'],
    ['project.urls.Repository', 'project.urls.repository', 'project.urls.Source', 'tool.poetry.repository'],
  ],
  type: [['type'], []],
  main: [['main'], []],
  module: [['module'], []],
  types: [['types', 'typings'], []],
  private: [['private'], []],
  bugs: [
    ['bugs', 'bugs.url'],
    ['project.urls.Issues', 'project.urls.Tracker'],
  ],
}

const GROUPS: Readonly<Record<string, readonly [npm: readonly string[], python: readonly string[]]>> = {
  scripts: [['scripts'], []],
  dependencies: [['dependencies'], ['project.dependencies', 'tool.poetry.dependencies']],
  devDependencies: [['devDependencies'], ['dependency-groups.dev', 'project.optional-dependencies.dev']],
  peerDependencies: [['peerDependencies'], []],
  optionalDependencies: [['optionalDependencies'], ['project.optional-dependencies']],
  engines: [['engines'], ['project.requires-python', 'tool.poetry.dependencies.python']],
  workspaces: [['workspaces', 'workspaces.packages'], ['tool.uv.workspace.members']],
  bin: [['bin'], ['project.scripts', 'tool.poetry.scripts']],
  exports: [['exports'], []],
  keywords: [['keywords'], ['project.keywords']],
}

/** Names of the single facts and of the groups of facts that a manifest can answer. */
export const FACT_NAMES = Object.keys(FIELDS)
export const GROUP_NAMES = Object.keys(GROUPS)

/** A manifest as it was read: every fact with the line it stands on. */
export class Manifest {
  readonly path: string
  /** Empty for the workspace itself, else it ends with `/`. */
  readonly folder: string
  readonly isNpm: boolean
  readonly #leaves: readonly Leaf[]

  constructor(excerpt: Excerpt) {
    this.path = excerpt.path
    this.folder = excerpt.path.replace(/[^/]*$/, '')
    this.isNpm = excerpt.path.endsWith('.json')
    this.#leaves = readSettings(excerpt)
  }

  /** A single fact, or undefined when the manifest does not say. */
  fact(field: string): Fact | undefined {
    for (const path of this.#pathsOf(FIELDS, field)) {
      const leaf = this.#leaves.find((other) => other.path.join('.') === path)
      if (leaf && leaf.value !== '') return { value: leaf.value, cites: [at(this.path, leaf.line)] }
    }
    return undefined
  }

  /** The facts of a group, in the order of the file; empty when there are none. */
  group(field: string): NamedFact[] {
    for (const path of this.#pathsOf(GROUPS, field)) {
      const inside = this.#leaves.filter(
        (leaf) => leaf.path.join('.') === path || leaf.path.join('.').startsWith(`${path}.`),
      )
      const facts = inside.map((leaf) => this.#toNamed(leaf, leaf.path.slice(path.split('.').length), field))
      if (facts.length > 0) return facts
    }
    return []
  }

  /** Whether it lists a package as a dependency of any kind. */
  needs(name: string): boolean {
    return ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'].some((field) =>
      this.group(field).some((one) => one.name === name),
    )
  }

  /** The line that holds the name, for sentences about the package. */
  nameCites(): readonly Cite[] {
    return this.fact('name')?.cites ?? []
  }

  #pathsOf(table: typeof FIELDS, field: string): readonly string[] {
    return table[field]?.[this.isNpm ? 0 : 1] ?? []
  }

  #toNamed({ value, line }: Leaf, keys: Leaf['path'], field: string): NamedFact {
    const cites = [at(this.path, line)]
    const [last] = keys.slice(-1)
    if (typeof last === 'string') return { name: keys.join(' '), value, cites }
    if (field === 'engines') return { name: 'python', value, cites }
    if (field === 'bin') return { name: this.fact('name')?.value ?? '', value, cites: [...cites, ...this.nameCites()] }
    const requirement = field.endsWith('ependencies') ? /^([\w.-]+(?:\[[^\]]*\])?)\s*([<>=!~^].*)$/.exec(value) : null
    return { name: requirement?.[1] ?? value, value: requirement?.[2] ?? '', cites }
  }
}

/** Every path that the manifest names as a way in: main, module, types, bin, exports; without `./`, none twice. */
export function entryPaths(manifest: Manifest): string[] {
  const values = [
    ...['main', 'module', 'types'].map((field) => manifest.fact(field)?.value ?? ''),
    ...['bin', 'exports'].flatMap((field) => manifest.group(field).map(({ value }) => value)),
  ]
  const paths = values.filter((value) => /^[\w./@-]+\.\w+$/.test(value))
  return [...new Set(paths.map((path) => manifest.folder + path.replace(/^\.\//, '')))]
}
