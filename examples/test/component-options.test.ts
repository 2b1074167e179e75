/** Every option of every component and default plugin stands in docs/components.md. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('component options')

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'docs/components.md'), 'utf8')

const DEFAULTS: readonly [slot: string, component: string][] = [
  ['analyze', 'task-complexity-analyzer'],
  ['allocate', 'token-budget-allocator'],
  ['orchestrate', 'adaptive-orchestrator'],
  ['memory', 'three-layer-memory'],
  ['reflect', 'reflection-engine'],
  ['consensus', 'consensus-checker'],
  ['inspect', 'inspector-agent'],
]

/** The names of the fields of an interface, which our formatter indents by two spaces. */
function fieldsOf(source: string, name: string): string[] {
  const [, body = ''] = new RegExp(`export interface ${name} \\{\\n(.*?)\\n\\}`, 's').exec(source) ?? []
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??:/gm)].map(([, field = '']) => field)
}

const upperFirst = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
const toClass = (folder: string): string => folder.split('-').map(upperFirst).join('')

for (const [slot, component] of DEFAULTS) {
  test(`the options of ${slot} and ${toClass(component)} are described, and no others`, () => {
    const folder = join(root, 'core/src/components', component)
    const sources = readdirSync(folder).filter((file) => file.endsWith('.ts'))
    const code = sources.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
    const options = [
      ...fieldsOf(
        readFileSync(join(root, `plugins/src/defaults/${slot === 'memory' ? 'memory/memory' : slot}.ts`), 'utf8'),
        `${upperFirst(slot)}Options`,
      ),
      ...fieldsOf(code, `${toClass(component)}Options`),
    ]
    assert.ok(options.length > 0)
    const section = page.split(/^## /m).find((part) => part.startsWith(`\`${slot}\`: ${toClass(component)}`)) ?? ''
    const rows = [...section.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    )
    assert.equal(
      options.filter((option) => !section.includes(`\`${option}\``)),
      [],
      'described',
    )
    assert.equal(
      rows.filter((name) => !options.includes(name)),
      [],
      'nothing that is not there',
    )
  })
}

test.run()
