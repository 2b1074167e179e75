export type * from './experiment-report.ts'
export { toHtml } from './to-html.ts'
export { toMarkdown } from './to-markdown.ts'
export { toReport } from './to-report.ts'
