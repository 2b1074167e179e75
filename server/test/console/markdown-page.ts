/** The Markdown component by itself, in a page of the console, with its content policy. */
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { build } from 'vite'

/** What is drawn of a text. */
export interface Drawn {
  /** Names of elements, each once. */
  tags: string[]
  /** Names of attributes, each once. */
  attributes: string[]
  /** Addresses of links. */
  links: string[]
  text: string
  html: string
}

const source = (path: string): string => fileURLToPath(new URL(`../../console/src/${path}`, import.meta.url))

const ENTRY = `
import { h, render } from 'preact'
import { Markdown } from ${JSON.stringify(source('parts/markdown/markdown.tsx'))}
import { showUnseen } from ${JSON.stringify(source('visible.ts'))}
showUnseen()
const root = document.body.appendChild(document.createElement('div'))
window.drawMarkdown = (text, isGrowing) => {
  render(h(Markdown, { text, isGrowing }), root)
  return root
}
window.describeMarkdown = (text, isGrowing) => {
  render(null, root)
  window.drawMarkdown(text, isGrowing)
  const all = [...root.querySelectorAll('.markdown *')]
  return {
    tags: [...new Set(all.map((element) => element.localName))],
    attributes: [...new Set(all.flatMap((element) => element.getAttributeNames()))],
    links: all.filter((element) => element.localName === 'a').map((element) => element.getAttribute('href')),
    text: root.textContent,
    html: root.innerHTML,
  }
}`

/** Puts the component into a page, through the debugger, which the content policy does not bind. */
export async function putMarkdown(page: Page): Promise<void> {
  const entry = '\0entry'
  const made = await build({
    configFile: fileURLToPath(new URL('../../console/vite.config.ts', import.meta.url)),
    logLevel: 'silent',
    plugins: [
      {
        name: 'entry',
        enforce: 'pre',
        resolveId: (id) => (id === 'entry' ? entry : undefined),
        load: (id) => (id === entry ? ENTRY : undefined),
      },
    ],
    build: { write: false, minify: false, rolldownOptions: { input: 'entry', output: { codeSplitting: false } } },
  })
  const { output } = (Array.isArray(made) ? made[0] : made) as { output: { type: string; code?: string }[] }
  const code = output.find(({ type }) => type === 'chunk')?.code ?? ''
  await page.evaluate(`(async () => {${code.replaceAll('import.meta', '({ url: location.href })')}})()`)
}

/** Draws texts, one after the other, each from nothing. */
export const drawAll = (page: Page, texts: readonly string[], isGrowing = false): Promise<Drawn[]> =>
  page.evaluate(
    ([all, grows]) => {
      const { describeMarkdown } = globalThis as unknown as {
        describeMarkdown: (text: string, isGrowing: boolean) => Drawn
      }
      return (all as string[]).map((text) => describeMarkdown(text, grows as boolean))
    },
    [texts, isGrowing] as const,
  )
