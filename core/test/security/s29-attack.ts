/** S29: configs with the names of a prototype, in each notation and place that a person or a folder can write them. */
import { loadConfig } from '../../src/config/load-config.ts'
import { mergeLayers } from '../../src/config/merge/merge.ts'
import { recordTrust } from '../../src/config/trust/trust.ts'
import { makeMachine } from '../fixtures/config-folders.ts'

const JSON_TEXT = '{"__proto__":{"polluted":1},"policy":{"__proto__":{"polluted":1}},"tokenBudget":9000}'
const NESTED = '{"constructor":{"prototype":{"polluted":1}},"tokenBudget":9000}'

/** Each a folder; its config is read untrusted, trusted and for this once. */
export const FOLDERS: Record<string, Record<string, unknown>> = {
  JSON: { 'svc.config.json': JSON_TEXT },
  'JSON with a constructor': { 'svc.config.json': NESTED },
  YAML: { '.svcrc': '__proto__: { polluted: 1 }\npolicy: { __proto__: { polluted: 1 } }\n' },
  'a YAML merge': { '.svcrc': 'a: &a { __proto__: { polluted: 1 } }\n<<: *a\n' },
  'plain code': { 'svc.config.ts': `export default ${JSON_TEXT}` },
  'code that parses': { 'svc.config.ts': `export default JSON.parse(${JSON.stringify(JSON_TEXT)})` },
  'an import': { '.svcrc.json': { $import: './b.json', tokenBudget: 9000 }, 'b.json': JSON_TEXT },
  'an import of code': {
    '.svcrc.json': { $import: './b.mjs', tokenBudget: 9000 },
    'b.mjs': `export default JSON.parse(${JSON.stringify(JSON_TEXT)})`,
  },
  'an extended file': { 'svc.config.json': { extends: ['./b.json'] }, 'b.json': JSON_TEXT },
  'package.json': { 'package.json': `{"svc":${JSON_TEXT}}` },
  'ids of drop-ins': {
    '.svc/agents/constructor.json': { name: 'x', metadata: { constructor: { prototype: { polluted: 1 } } } },
    '.svc/agents/a.md': '---\n__proto__: { polluted: 1 }\nname: x\n---\nx',
    '.svc/tools/constructor.json': `{"description":"x","risk":"read","command":["a"],"parameters":{"__proto__":{"polluted":1}}}`,
    '.svc/providers/__proto__.json': { type: 'openai' },
  },
  'a module of data': { 'svc.config.cjs': "module.exports = { agents: require('./b.json') }", 'b.json': JSON_TEXT },
  '.env': { '.env': '__proto__=1\nSVC___proto__=1\n__proto___API_KEY=1\n' },
}

/** @returns in which of them, and of bare layers, every object of the process got a new field */
export async function attack(): Promise<string[]> {
  const polluted: string[] = []
  const look = (name: string): void => {
    if (Reflect.get({}, 'polluted') === undefined) return
    polluted.push(name)
    Reflect.deleteProperty(Object.prototype, 'polluted')
  }
  for (const [name, files] of Object.entries(FOLDERS)) {
    const { work, user, options } = makeMachine(files)
    await loadConfig(options).catch(() => {})
    await loadConfig({ ...options, trust: true }).catch(() => {})
    await recordTrust(work, { userDir: user })
    await loadConfig(options).catch(() => {})
    look(name)
  }
  mergeLayers([JSON_TEXT, NESTED].map((text) => ({ source: text, config: JSON.parse(text) })))
  look('layers')
  return polluted
}
