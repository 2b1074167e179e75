export interface Priced {
  id: string
  /** Less is better; null where it is not known. */
  cost: number | null
  /** More is better. */
  quality: number
}

export interface Frontier {
  /** Ids of what nothing else beats, cheapest first. */
  front: string[]
  /** What something else beats: no dearer and no worse, and better in one of the two. */
  dominated: { id: string; by: string }[]
}

/** Divides what costs and does something into the choices that make sense and those that another one beats. */
export function toFrontier(all: readonly Priced[]): Frontier {
  const known = all.filter((each): each is Priced & { cost: number } => each.cost !== null)
  const ordered = [...known].sort((a, b) => a.cost - b.cost || b.quality - a.quality)
  const dominated: Frontier['dominated'] = []
  const front: string[] = []
  for (const each of ordered) {
    const by = ordered.find(
      ({ cost, quality }) =>
        cost <= each.cost && quality >= each.quality && (cost < each.cost || quality > each.quality),
    )
    if (by === undefined) front.push(each.id)
    else dominated.push({ id: each.id, by: by.id })
  }
  return { front, dominated }
}
