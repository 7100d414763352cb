// In a service's image, loaded before the service: as the first process of a container Node gets only those signals that it
// has handlers for, and the service takes a second or more to load and register its own. A stop before that ends it at once.
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
