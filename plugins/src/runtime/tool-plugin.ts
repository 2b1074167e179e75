import { definePlugin, type LoadedConfig, type Plugin, type Tool } from '@svc/core'
import { builtinTools, createRecallTool, createRememberTool, toTool } from '../tools/index.ts'

/** The tools of a runtime as one plugin: the built-in ones, and over them those of config and folders. */
export function assembleTools(loaded: LoadedConfig): Plugin {
  const added = loaded.tools.map(({ id, config, source }) => ({
    id,
    source,
    tool: config === false ? undefined : toTool(id, config),
  }))
  return definePlugin('tools', (host) => {
    const { memory } = host
    const remembering = loaded.slots.memory === false ? [] : [createRememberTool(memory), createRecallTool(memory)]
    const tools = new Map<string, { tool: Tool; source: string }>()
    for (const tool of [...builtinTools(), ...remembering]) tools.set(tool.id, { tool, source: 'built in' })
    for (const { id, tool, source } of added) {
      if (tool === undefined) tools.delete(id)
      else tools.set(id, { tool, source })
    }
    for (const [id, { tool, source }] of tools) host.tools.add(id, tool, source)
  })()
}
