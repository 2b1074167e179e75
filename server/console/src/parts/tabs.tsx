interface TabsProps {
  label: string
  /** Addresses and names. */
  tabs: readonly (readonly [href: string, name: string])[]
  /** The address of the one that is shown. */
  current: string
}

/** Links to the views of one thing, the one that is shown marked. */
export function Tabs({ label, tabs, current }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([href, name]) => (
        <a key={href} href={href} aria-current={href === current ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  )
}
