import { Evidence } from './evidence.ts'
import type { Look, Wish } from './look.ts'
import { together } from './look.ts'
import type { OfferedTools } from './offered-tools.ts'
import { NOT_CALLED, type ToolOutcome } from './question/conversation.ts'
import type { Question } from './question/question.ts'
import type { Excerpt, Hit, Hits, Listing } from './read/formats.ts'
import { numbered, readExcerpt, readHits, readListing, readOmissions } from './read/formats.ts'

/** Where a question is worked on: the offered tools, and all that they have shown so far. */
export class ToolSession {
  readonly evidence = new Evidence()
  /** What a tool refused or failed to do, one sentence each. */
  readonly problems = new Set<string>()
  /** What listings and searches left out, in the words of the tools. */
  readonly omitted = new Set<string>()
  private hasFailed = false
  /** True: it wanted calls that were not allowed any more. */
  isCutShort = false
  /** Paths of the files that were opened. */
  readonly opened = new Set<string>()
  /** The listing of the workspace, three levels deep, once it was looked at. */
  tree: Listing | undefined
  /** Every line that a search has shown. */
  readonly hits: Hit[] = []
  /** The folder of builds where it holds code of its own: it is searched too, where others are left out. */
  built: string | undefined
  readonly question: Question
  readonly tools: OfferedTools

  /** A text that came with the task, cited as `context:line`. */
  readonly context: Excerpt | undefined
  /** What was remembered, cited as `memory:line`. */
  readonly memories: readonly string[]

  constructor(question: Question, tools: OfferedTools, given: { context: string; memories: readonly string[] }) {
    this.question = question
    this.tools = tools
    this.memories = given.memories
    given.memories.forEach((text, index) => {
      this.evidence.note('memory', index + 1, text)
    })
    if (given.context === '') return
    this.context = readExcerpt('context', given.context)
    for (const { line, text } of numbered(this.context)) this.evidence.note('context', line, text)
  }

  /** What lies in `.svc/` is set up for svc and no content of the workspace; it counts where the question names it. */
  private mayShow(path: string): boolean {
    return !/(?:^|\/)\.svc\//.test(path) || this.question.lower.includes('.svc')
  }

  /** Hidden folders, logs and caches hold what programs wrote; they count where the question names them. */
  private mayQuote(path: string): boolean {
    const [aside] = /(?:^|\/)(?:\.[^/]+|_?logs?|_?caches?|_cacache|te?mp)(?=\/)|\.log$/i.exec(path) ?? []
    return aside === undefined || this.question.lower.includes(aside.toLowerCase().replace(/^\//, ''))
  }

  /** Any tool by its id. */
  *call(tool: string, args: object): Look<ToolOutcome> {
    const wish: Wish = { tool, args }
    const outcome = (yield [wish])[0] ?? { ok: false, reason: 'the tool gave no result' }
    if (!outcome.ok) this.hasFailed = true
    if (!outcome.ok && outcome.reason === NOT_CALLED) this.isCutShort = true
    else if (!outcome.ok) this.problems.add(`\`${tool}\` gave no result: ${outcome.reason}`)
    return outcome
  }

  /** Whether every search and listing gave its whole result: only then may "nowhere" be said. */
  get lookedEverywhere(): boolean {
    return !this.hasFailed && this.omitted.size === 0
  }

  /** What is in a folder; undefined when no tool can tell. */
  *list(options: { path?: string; depth?: number; pattern?: string; limit?: number } = {}): Look<Listing | undefined> {
    const tool = this.tools.get('list')
    if (!tool) return undefined
    const path = options.path?.replace(/\/$/, '')
    const outcome = yield* this.call(
      tool.id,
      pick(tool.parameters, { ...options, path: undefined, [tool.main]: path ?? '.' }),
    )
    if (!outcome.ok) return undefined
    for (const said of readOmissions(outcome.text)) this.omitted.add(said)
    const { files, folders, more } = readListing(outcome.text)
    const listing: Listing = {
      files: files.filter((file) => this.mayShow(file.path)),
      folders: folders.filter((folder) => this.mayShow(folder)),
      more,
    }
    for (const folder of listing.folders) this.evidence.noteFolder(folder)
    if (path === undefined || path === '.') this.evidence.noteFolder('./')
    else this.evidence.noteFolder(`${path}/`)
    return listing
  }

  /** Lines of a file; undefined when they cannot be read. */
  *read(path: string, options: { offset?: number; limit?: number } = {}): Look<Excerpt | undefined> {
    const tool = this.tools.get('read')
    if (!tool) return undefined
    const outcome = yield* this.call(tool.id, pick(tool.parameters, { [tool.main]: path, ...options }))
    if (!outcome.ok) return undefined
    const excerpt = readExcerpt(path, outcome.text, options.offset)
    this.opened.add(path)
    for (const { line, text } of numbered(excerpt)) this.evidence.note(path, line, text)
    return excerpt
  }

  /** Several files side by side, in the order asked for, without those that cannot be read. */
  *readAll(paths: readonly string[], limit: number): Look<Excerpt[]> {
    const excerpts = yield* together(paths.map((path) => this.read(path, { limit })))
    return excerpts.filter((excerpt) => excerpt !== undefined)
  }

  /** Lines that hold a text; undefined when no tool can search. */
  *search(query: string, options: { path?: string; pattern?: string; limit?: number } = {}): Look<Hits | undefined> {
    if (this.built === undefined || options.path !== undefined) return yield* this.searchIn(query, options)
    const [own, built] = yield* together([
      this.searchIn(query, options),
      this.searchIn(query, { ...options, path: this.built }),
    ])
    return own && { hits: [...own.hits, ...(built?.hits ?? [])], more: own.more + (built?.more ?? 0) }
  }

  private *searchIn(
    query: string,
    options: { path?: string; pattern?: string; limit?: number },
  ): Look<Hits | undefined> {
    const tool = this.tools.get('search')
    if (!tool) return undefined
    const outcome = yield* this.call(tool.id, pick(tool.parameters, { [tool.main]: query, ...options }))
    if (!outcome.ok) return undefined
    for (const said of readOmissions(outcome.text)) this.omitted.add(said)
    const { hits, more } = readHits(outcome.text)
    const open = hits.filter(({ path }) => this.mayShow(path) && this.mayQuote(path))
    if (open.length < hits.length) this.hasFailed = true
    const found: Hits = { hits: open.filter(({ path }) => !/\.min\.|\.map$/.test(path)), more }
    for (const hit of found.hits) this.evidence.note(hit.path, hit.line, hit.text)
    this.hits.push(...found.hits)
    return found
  }
}

/** The arguments that the tool has a parameter for. */
function pick(parameters: ReadonlySet<string>, args: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(args).filter(([name, value]) => value !== undefined && parameters.has(name)))
}
