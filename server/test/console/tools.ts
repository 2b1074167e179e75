import { definePlugin, type Plugin, type Tool } from '@svc/core'
import type { Page } from 'playwright-core'

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

/** Has the clock of a browser go so many hours ahead, from the next page that it loads on. */
export const setClockOff = (page: Page, hours: number): Promise<unknown> =>
  page.addInitScript(`{
    const RealDate = Date
    const ms = ${hours} * 3_600_000
    globalThis.Date = class extends RealDate {
      constructor(...given) { given.length === 0 ? super(RealDate.now() + ms) : super(...given) }
      static now() { return RealDate.now() + ms }
    }
  }`)
