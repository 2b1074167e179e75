import { type Plugin, SLOTS, type Slot, type Tool } from '@svc/core'
import {
  analyze,
  builtinTools,
  consensus,
  createProvider,
  defaultPlugins,
  memory,
  orchestrate,
  ProgramRunner,
  reflect,
} from '@svc/plugins'
import type { Card } from './card.ts'
import { type CheckOptions, checkOneProvider, checkOneTool, checkWholePlugin } from './check-replacement.ts'

const SOURCE = 'built in'

/** Those that may ask a model. */
const ASSISTED: Partial<Record<Slot, () => Plugin>> = {
  analyze: () => analyze({ llm: true }),
  orchestrate: () => orchestrate({ llm: true }),
  memory: () => memory({ llm: true }),
  reflect: () => reflect({ llm: true }),
  consensus: () => consensus({ llm: true }),
}

const NOTHING_GUARDED = { folders: [], programs: [] }

const tools = (): Tool[] => {
  const guarded = NOTHING_GUARDED
  return builtinTools({ guarded, runner: new ProgramRunner({ sandbox: 'none', guarded }), shell: true, git: true })
}

/** What svc brings under a name that `svc conform` knows. */
export const builtInNames = (): string[] => [...SLOTS, 'offline', ...tools().map(({ id }) => id)]

/** @returns undefined where nothing built in is called so */
export async function checkBuiltIn(name: string, { args, env }: CheckOptions): Promise<Card[] | undefined> {
  const slot = SLOTS.find((each) => each === name)
  if (slot !== undefined) {
    const cards = await checkWholePlugin(() => defaultPlugins()[slot], SOURCE, undefined)
    const assisted = ASSISTED[slot]
    return assisted === undefined
      ? cards
      : [...cards, ...(await checkWholePlugin(assisted, `${SOURCE}, llm: true`, undefined))]
  }
  if (name === 'offline')
    return [await checkOneProvider(name, () => createProvider(name, { type: name }, { env }), SOURCE)]
  if (!tools().some(({ id }) => id === name)) return undefined
  return [await checkOneTool(() => tools().find(({ id }) => id === name) as Tool, SOURCE, args ?? ARGS[name])]
}

/** Arguments with which the built-in tools work in the workspace of a check, which has a file `notes.md`. */
const ARGS: Readonly<Record<string, unknown>> = {
  list_files: { path: '.' },
  read_file: { path: 'notes.md' },
  search_files: { query: 'north' },
  edit_file: { path: 'notes.md', edits: [{ find: '41', replace: '42' }] },
  write_file: { path: 'new.md', content: 'x' },
  calculate: { expression: '41 + 17' },
  http_fetch: { url: 'https://svc.example/' },
  ask_user: { question: 'Which region?' },
  run_command: { command: ['cat', 'notes.md'] },
  shell: { script: 'cat notes.md' },
}
