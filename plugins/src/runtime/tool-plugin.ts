import { definePlugin, type LoadedConfig, type Plugin, type ThreeLayerMemory, type Tool } from '@svc/core'
import { createMemoryApi } from '../memory-api.ts'
import { builtinTools, createRecallTool, createRememberTool, toTool } from '../tools/index.ts'
import { WriteQueue } from '../write-queue.ts'

/** The tools of a runtime as one plugin: the built-in ones, and over them those of config and folders. */
export function assembleTools(loaded: LoadedConfig, memory: ThreeLayerMemory | undefined): Plugin {
  const tools = new Map<string, { tool: Tool; source: string }>()
  const api = memory === undefined ? undefined : createMemoryApi(memory, new WriteQueue())
  const remembering =
    api === undefined ? [] : [createRememberTool({ get: () => api }), createRecallTool({ get: () => api })]
  for (const tool of [...builtinTools(), ...remembering]) tools.set(tool.id, { tool, source: 'built in' })
  for (const { id, config, source } of loaded.tools) {
    if (config === false) tools.delete(id)
    else tools.set(id, { tool: toTool(id, config), source })
  }
  return definePlugin('tools', (host) => {
    for (const [id, { tool, source }] of tools) host.tools.add(id, tool, source)
  })()
}
