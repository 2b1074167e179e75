interface View {
  href: string
  name: string
  /** Beginnings of the addresses that belong to it. */
  below: readonly string[]
  /** After `g`: the way there by the keyboard. */
  letter: string
  /** Always in the header; the others stand under "More" where there is little room. */
  isMain?: boolean
}

/** The pages of the console, as the header, the shortcuts and the palette name them. */
export const VIEWS: readonly View[] = [
  { href: '/console/', name: 'Chat', below: ['/console/chat'], letter: 'c', isMain: true },
  { href: '/console/runs', name: 'Runs', below: ['/console/runs', '/console/compare'], letter: 'r', isMain: true },
  { href: '/console/approvals', name: 'Approvals', below: ['/console/approvals'], letter: 'a', isMain: true },
  { href: '/console/agents', name: 'Agents', below: ['/console/agents'], letter: 'g' },
  { href: '/console/experiments', name: 'Experiments', below: ['/console/experiments'], letter: 'e' },
  { href: '/console/costs', name: 'Costs', below: ['/console/costs'], letter: 'o' },
  { href: '/console/memory', name: 'Memory', below: ['/console/memory'], letter: 'm' },
  { href: '/console/plugins', name: 'Plugins', below: ['/console/plugins'], letter: 'p' },
]

/** Whether an address belongs to a view. */
export const isWithin = ({ href, below }: View, path: string): boolean =>
  `${path}/` === href || path === href || below.some((start) => `${path}/`.startsWith(`${start}/`))
