import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { definePlugin, type LoadedConfig, type Plugin, type Tool } from '@svc/core'
import { builtinTools, createRecallTool, createRememberTool, ProgramRunner, toTool } from '../tools/index.ts'
import { findGuarded } from './guarded-files.ts'

/** The tools of a runtime as one plugin: the built-in ones, and over them those of config and folders. */
export function assembleTools(loaded: LoadedConfig, workspace: string, env: Environment): Plugin {
  const guarded = findGuarded(loaded, workspace, env)
  const { sandbox, network, memoryMb, shell = false } = loaded.config.policy ?? {}
  const runner = new ProgramRunner({ sandbox, network, memoryMb, guarded })
  const added = loaded.tools.map(({ id, config, source }) => ({
    id,
    source,
    tool: config === false ? undefined : toTool(id, config, { runner }),
  }))
  return definePlugin('tools', (host) => {
    const { memory } = host
    const remembering = loaded.slots.memory === false ? [] : [createRememberTool(memory), createRecallTool(memory)]
    const tools = new Map<string, { tool: Tool; source: string }>()
    for (const tool of [...builtinTools({ guarded, runner, shell, git: isInRepository(workspace) }), ...remembering])
      tools.set(tool.id, { tool, source: 'built in' })
    for (const { id, tool, source } of added) {
      if (tool === undefined) tools.delete(id)
      else tools.set(id, { tool, source })
    }
    for (const [id, { tool, source }] of tools) host.tools.add(id, tool, source)
  })()
}

type Environment = Readonly<Record<string, string | undefined>>

/** Whether a folder or one above it holds `.git`. */
const isInRepository = (folder: string): boolean =>
  existsSync(join(folder, '.git')) || (folder !== dirname(folder) && isInRepository(dirname(folder)))
