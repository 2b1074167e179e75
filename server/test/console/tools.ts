import { definePlugin, type Plugin, type Tool } from '@svc/core'

/** A plugin with one tool that says yes, as a test wishes it to look. */
export const defineTool = (tool: Partial<Tool> & Pick<Tool, 'id' | 'risk'>): Plugin =>
  definePlugin(`tool-${tool.id.length}-${tool.risk}`, ({ tools }) =>
    tools.add(tool.id, {
      description: 'A tool of a test.',
      parameters: { type: 'object' },
      run: async () => 'yes',
      ...tool,
    }),
  )()
