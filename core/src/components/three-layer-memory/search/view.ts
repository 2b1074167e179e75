import type { IndexFilter, TextGroup } from './indexed-text.ts'

/** A text in the index. */
export interface TextEntry {
  readonly id: string
  /** Ascends in the order in which texts were added. */
  readonly order: number
  readonly session: string
  readonly author: string | undefined
  readonly at: number
  /** Its stems, each once, and how many there are with repetitions. */
  readonly stems: readonly string[]
  readonly length: number
  /** Whether there is a question mark, and whether the text ends in one. */
  readonly asks: boolean
  readonly endsAsking: boolean
  group: TextGroup
  importance: number
  from: number
  to: number
  /** Where it stands in the view of the last search that saw it. */
  place: number
  /** Whether it was taken out of the index. */
  isGone: boolean
}

/** Sorts texts into kinds. */
export type KindOf = (group: TextGroup) => string

/** Whether a search at a moment may see a text. */
export function isSeen({ group, from, to }: TextEntry, now: number, filter: IndexFilter | undefined): boolean {
  const at = filter?.at ?? now
  return from <= at && to > at && (filter === undefined || filter.accepts(group))
}

/** How many texts of each kind hold a stem by themselves, and how many do with what they borrow of their neighbours. */
export interface Holding {
  readonly itself: number[]
  readonly near: number[]
}

/** So many texts are not counted again for each search. */
const MANY = 64

/** What searches with one filter may see: its texts, session by session, so that neighbours stand side by side. */
export class View {
  readonly kindOf: KindOf | undefined
  readonly texts: TextEntry[] = []
  /** Number of each text's session. */
  readonly sessions: number[] = []
  /** Number of each text's kind; the names of kinds, and how many texts are of each. */
  readonly kinds: number[] = []
  readonly kindNames: string[] = []
  readonly kindSizes: number[] = []
  /** Stems of each text with those that it borrows, and of each session. */
  readonly lengths: number[] = []
  readonly sessionLengths: number[] = []
  readonly authors = new Set<string>()
  readonly #filter: IndexFilter | undefined
  readonly #neighbours: readonly number[]
  /** From when until when all that it holds is true, and nothing else is. */
  #since = Number.NEGATIVE_INFINITY
  #until = Number.POSITIVE_INFINITY
  /** Of stems of many texts that searches asked for. */
  readonly #holding = new Map<string, Holding>()
  /** How many of its texts know where they stand. */
  #placed = 0

  /** @param neighbours how much texts borrow from those one, two, ... places away */
  constructor(filter: IndexFilter | undefined, kindOf: KindOf | undefined, neighbours: readonly number[]) {
    this.#filter = filter
    this.kindOf = kindOf
    this.#neighbours = neighbours
  }

  /** Whether it is what a search at a moment may see. */
  isTrueAt(at: number): boolean {
    return at >= this.#since && at < this.#until
  }

  /** Adds those of a session's texts that a search at a moment may see. */
  addSession(texts: readonly TextEntry[], at: number): void {
    for (const text of texts) {
      if (this.#filter?.accepts(text.group) === false) continue
      for (const change of [text.from, text.to]) {
        if (change <= at) this.#since = Math.max(this.#since, change)
        else this.#until = Math.min(this.#until, change)
      }
      if (text.from <= at && text.to > at) this.#add(text)
    }
  }

  /**
   * Adds a new text, where a search may see it.
   *
   * @returns false where it does not belong at the end, or the view is never true with it: then make a new one
   */
  extend(text: TextEntry, isFirstOfSession: boolean): boolean {
    if (this.#filter?.accepts(text.group) === false) return true
    this.#since = Math.max(this.#since, text.from)
    this.#until = Math.min(this.#until, text.to)
    if (this.#since >= this.#until || !(isFirstOfSession || this.texts.at(-1)?.session === text.session)) return false
    this.#add(text)
    this.#countNew(text)
    return true
  }

  /** What a text in a session borrows and lends is counted when it is asked for. */
  #countNew({ stems }: TextEntry): void {
    if (this.sessions.at(-1) === this.sessions.at(-2)) this.#holding.clear()
    this.#countAlone(stems, this.kinds.at(-1) ?? 0, 1)
  }

  #countAlone(stems: readonly string[], kind: number, by: 1 | -1): void {
    for (const stem of stems) {
      const counts = this.#holding.get(stem)
      if (counts === undefined) continue
      counts.itself[kind] = (counts.itself[kind] ?? 0) + by
      counts.near[kind] = (counts.near[kind] ?? 0) + by
    }
  }

  /** Takes out the texts that are gone, each of which was alone in its session and is of no author. */
  removeGone(): void {
    const { texts, sessions, kinds, kindSizes, lengths, sessionLengths } = this
    let kept = 0
    let session = -1
    let before = -1
    for (let place = 0; place < texts.length; place++) {
      const text = texts[place]
      const kind = kinds[place] ?? 0
      const known = sessions[place] ?? 0
      if (text === undefined) continue
      if (text.isGone) {
        this.#countAlone(text.stems, kind, -1)
        kindSizes[kind] = (kindSizes[kind] ?? 0) - 1
        continue
      }
      if (known !== before) sessionLengths[++session] = sessionLengths[known] ?? 0
      before = known
      texts[kept] = text
      kinds[kept] = kind
      sessions[kept] = session
      lengths[kept] = lengths[place] ?? 0
      kept++
    }
    for (const list of [texts, kinds, sessions, lengths]) list.length = kept
    sessionLengths.length = session + 1
    this.#placed = 0
  }

  /** How many texts hold a stem. The texts must have their places. */
  countHolding(stem: string, holders: readonly TextEntry[]): Holding {
    const known = this.#holding.get(stem)
    if (known !== undefined) return known
    const places = holders.filter((text) => this.texts[text.place] === text).map(({ place }) => place)
    const near = new Set(places)
    for (const place of places) {
      for (let away = 1; away <= this.#neighbours.length; away++) {
        for (const other of [place - away, place + away])
          if (this.sessions[other] === this.sessions[place]) near.add(other)
      }
    }
    const counts = { itself: this.#countKinds(places), near: this.#countKinds(near) }
    if (holders.length >= MANY) this.#holding.set(stem, counts)
    return counts
  }

  #countKinds(places: Iterable<number>): number[] {
    const counts = this.kindNames.map(() => 0)
    for (const place of places) {
      const kind = this.kinds[place] ?? 0
      counts[kind] = (counts[kind] ?? 0) + 1
    }
    return counts
  }

  /** Notes on each text where it stands here; where no other view has done so since, on those that are new. */
  takePlaces(isLast: boolean): void {
    for (let place = isLast ? this.#placed : 0; place < this.texts.length; place++) {
      const text = this.texts[place]
      if (text !== undefined) text.place = place
    }
    this.#placed = this.texts.length
  }

  #add(text: TextEntry): void {
    const { texts, sessions, lengths, sessionLengths } = this
    if (texts.at(-1)?.session !== text.session) sessionLengths.push(0)
    const session = sessionLengths.length - 1
    const place = texts.push(text) - 1
    sessions.push(session)
    this.#addKind(this.kindOf?.(text.group) ?? '')
    if (text.author !== undefined) this.authors.add(text.author)
    sessionLengths[session] = (sessionLengths[session] ?? 0) + text.length
    let length = text.length
    for (const [nth, share] of this.#neighbours.entries()) {
      const other = place - nth - 1
      if (sessions[other] !== session) break
      length += share * (texts[other]?.length ?? 0)
      lengths[other] = (lengths[other] ?? 0) + share * text.length
    }
    lengths.push(length)
  }

  #addKind(name: string): void {
    const known = this.kindNames.indexOf(name)
    const kind = known < 0 ? this.kindNames.push(name) - 1 : known
    this.kinds.push(kind)
    this.kindSizes[kind] = (this.kindSizes[kind] ?? 0) + 1
  }
}
