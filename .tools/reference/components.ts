import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { code, page, table, toProse } from './markdown.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The default plugins with their components, in the order of the stages. */
const COMPONENTS: readonly [slot: string, component: string][] = [
  ['analyze', 'TaskComplexityAnalyzer'],
  ['allocate', 'TokenBudgetAllocator'],
  ['orchestrate', 'AdaptiveOrchestrator'],
  ['memory', 'ThreeLayerMemory'],
  ['reflect', 'ReflectionEngine'],
  ['consensus', 'ConsensusChecker'],
  ['inspect', 'InspectorAgent'],
]

/** Every option of the default plugins and of the classes that they wrap. */
export function components(): string {
  const plugins = sourcesIn('plugins/src/defaults')
  const classes = sourcesIn('core/src/components')
  return page(
    '# Options of components and default plugins',
    'Written from the comments of their interfaces by `npm run fix`. What each is for, and how an option is set: [components.md](../components.md). Every option may be left out.',
    ...COMPONENTS.flatMap(([slot, component]) => [
      `## ${slot}`,
      `Options of the plugin \`${slot}()\`:`,
      optionTable(plugins, `${capital(slot)}Options`),
      `Options of \`new ${component}()\`:`,
      optionTable(classes, `${component}Options`),
    ]),
  )
}

function optionTable(source: string, name: string): string {
  const [, body] = new RegExp(`^export interface ${name} \\{\\n(.*?)\\n\\}`, 'ms').exec(source) ?? []
  if (body === undefined) throw new Error(`no interface ${name}`)
  const fields = [...body.matchAll(/^ {2}\/\*\*(.*?)\*\/\n {2}(?:readonly )?(\w+)\??: ([^\n]+)$/gms)]
  for (const [, field = ''] of body.matchAll(/^ {2}(?:readonly )?(\w+)\??:/gm))
    if (!fields.some(([, , described]) => described === field)) throw new Error(`${name}.${field} has no comment`)
  return table(
    ['option', 'type', 'meaning'],
    fields.map(([, comment = '', field = '', type = '']) => [code(field), code(type), toProse(textOf(comment))]),
  )
}

/** A comment without its stars. */
const textOf = (comment: string): string =>
  comment
    .replaceAll(/\n\s*\*/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

const sourcesIn = (folder: string): string =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => readFileSync(join(root, folder, path), 'utf8'))
    .join('\n')

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
