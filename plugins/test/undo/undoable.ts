/** Runs that change files of a folder by a script, to be undone. */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { definePlugin, noUsage, type Plugin, type RunCreate, type Store, type SvcConfig, type Tool } from '@svc/core'
import { execution, tiny } from '../../../core/test/fixtures/tiny-plugins.ts'
import { createRuntime } from '../../src/index.ts'
import type { Called, Outcome } from '../fixtures/call-tools.ts'
import { modelOf } from '../fixtures/runs.ts'
import { createWorkspace } from '../fixtures/tool-context.ts'

export interface UndoableOptions {
  /** The folder; default a new one with `files`. */
  workspace?: string
  files?: Readonly<Record<string, string | Uint8Array>>
  config?: SvcConfig
  tools?: readonly Tool[]
  persist?: boolean | { dir: string }
  plugins?: readonly Plugin[]
  store?: Store
  env?: Readonly<Record<string, string>>
  /** Whether the calls of a step are made at once. Default one after the other. */
  areTogether?: boolean
}

/** A run that was made: its id, and what came of its calls. */
export interface Made {
  id: string
  outcomes: Outcome[]
}

/** A runtime in a folder whose runs do what they are handed. */
export async function createUndoable({
  workspace,
  files,
  config,
  tools = [],
  plugins = [],
  env = {},
  areTogether = false,
  ...where
}: UndoableOptions = {}) {
  const folder = workspace ?? (await createWorkspace(files)).workspace
  /** By the task of the run: the calls of each of its steps, made one after the other. */
  const scripts = new Map<string, { steps: readonly (readonly Called[])[]; outcomes: Outcome[]; onStep?: () => void }>()
  const act = tiny({
    execute: async (context, task) => {
      const { steps = [], outcomes = [], onStep } = scripts.get(task) ?? {}
      for (const [index, calls] of steps.entries()) {
        const stepId = `step-${index + 1}`
        context.emit('step.started', { objective: '', dependsOn: [] }, { stepId })
        const make = async (call: Called, at: number): Promise<void> => {
          const callId = `call-${index}-${at}`
          const { ok, content, error } = await context.tool({ key: callId, callId, agentId: 'agent-1', ...call })
          const text = content.map((part) => (part.type === 'text' ? part.text : JSON.stringify(part))).join('')
          outcomes.push({ code: ok ? 'ok' : (error?.code ?? 'failed'), text })
        }
        if (areTogether) await Promise.all(calls.map(make))
        else for (const [at, call] of calls.entries()) await make(call, at)
        context.emit('step.completed', { output: '', usage: noUsage() }, { stepId })
        onStep?.()
      }
      return execution('done')
    },
  })
  const toolbox = definePlugin('toolbox', (host) => {
    for (const tool of tools) host.tools.add(tool.id, tool)
  })()
  const home = { HOME: join(folder, '..', 'home'), XDG_CONFIG_HOME: join(folder, '..', 'home', 'config') }
  const runtime = await createRuntime(
    { model: 'scripted/scripted', policy: { rules: ALLOWED, shell: true }, ...config },
    {
      workspace: folder,
      plugins: [modelOf(() => 'x'), toolbox, act, ...plugins],
      env: { ...home, ...env },
      persist: false,
      ...where,
    },
  )
  let made = 0
  /** Makes a run that does this, step by step. */
  const run = async (
    steps: readonly (readonly Called[])[],
    create: Partial<RunCreate> = {},
    onStep?: () => void,
  ): Promise<Made> => {
    const outcomes: Outcome[] = []
    const task = `Task ${++made}`
    scripts.set(task, { steps, outcomes, ...(onStep && { onStep }) })
    const { id } = await runtime.runs.create({
      task,
      reflect: false,
      consensus: false,
      approval: 'allow-write',
      ...create,
    })
    await runtime.runs.wait(id)
    return { id, outcomes }
  }
  return { workspace: folder, runtime, run }
}

const ALLOWED = [
  { tool: 'run_command', decision: 'allow' as const },
  { tool: 'shell', decision: 'allow' as const },
]

export const write = (path: string, content: string): Called => ({ tool: 'write_file', args: { path, content } })
export const edit = (path: string, find: string, replace: string): Called => ({
  tool: 'edit_file',
  args: { path, edits: [{ find, replace, all: true }] },
})
export const sh = (script: string): Called => ({ tool: 'shell', args: { script } })

/** All that is in a folder: of each path its kind, its mode and its content. */
export function treeOf(folder: string, path = ''): Record<string, string> {
  const tree: Record<string, string> = {}
  for (const name of readdirSync(join(folder, path)).sort()) {
    const inner = path === '' ? name : `${path}/${name}`
    const whole = join(folder, inner)
    const found = lstatSync(whole)
    const mode = (found.mode & 0o777).toString(8)
    if (found.isSymbolicLink()) tree[inner] = `-> ${readlinkSync(whole)}`
    else if (found.isDirectory()) Object.assign(tree, { [inner]: `folder ${mode}` }, treeOf(folder, inner))
    else tree[inner] = `${mode} ${readFileSync(whole).toString('base64')}`
  }
  return tree
}
