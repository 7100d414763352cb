// In a service's image, loaded before the service: the first process of a container only receives signals that it handles, and the
// service takes a second or more to load and register its handlers. A stop before that exits immediately.
const numbers = { SIGTERM: 15, SIGINT: 2 };
for (const [signal, number] of Object.entries(numbers)) {
  const leave = () => process.exit(128 + number);
  process.on(signal, leave);
  const giveWay = (event) => {
    if (event !== signal) return;
    process.off('newListener', giveWay);
    process.off(signal, leave);
  };
  process.on('newListener', giveWay);
}
