export { testsOf } from './compare-arms.ts'
export type * from './experiment-report.ts'
export { toMarkdown } from './to-markdown.ts'
export { toReport } from './to-report.ts'
