import { Link } from '@tanstack/react-router';
import { NAV } from './nav.ts';
import styles from './shell.module.css';

export function SideNav() {
  return (
    <nav aria-label="Main" className={styles.nav}>
      {NAV.map((group) => (
        <ul key={group[0]?.to}>
          {group.map(({ to, label, icon: Icon }) => (
            <li key={to}>
              <Link
                to={to}
                className={styles.navLink}
                activeOptions={{ exact: to === '/', includeSearch: false }}
              >
                <Icon size={18} stroke={1.7} />
                {label}
              </Link>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  );
}
