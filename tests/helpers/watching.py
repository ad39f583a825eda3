"""A browser whose pages are watched: nothing from outside, no fault left unsaid."""


class Watch:
    """Opens pages; refuses what is outside the site and writes down whatever goes wrong."""

    def __init__(self, browser):
        self.browser = browser
        self.contexts = []
        self.allowed = ["data:", "blob:", "about:"]
        self.outside = []
        self.faults = []
        self.expected = []

    def page(self, *, width=1280, height=900, dark=False, **options):
        """An empty page in a fresh context."""
        context = self.browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            **options,
        )
        self.contexts.append(context)
        context.route("**/*", self.guard)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: self.faults.append(f"error in {page.url}: {error}"))
        page.on("dialog", self.dialog)
        page.on("console", lambda message: self.console(page, message))
        return page

    def guard(self, route):
        if route.request.url.startswith(tuple(self.allowed)):
            route.continue_()
        else:
            self.outside.append(route.request.url)
            route.abort()

    def dialog(self, dialog):
        self.faults.append(f"a dialog says {dialog.message!r}")
        dialog.dismiss()

    def console(self, page, message):
        if message.type == "error":
            self.faults.append(f"console of {page.url}: {message.text}")

    def close(self):
        for context in self.contexts:
            context.close()
        assert not self.outside, f"requests outside the site: {self.outside}"
        left = [f for f in self.faults if not any(words in f for words in self.expected)]
        assert not left, "\n".join(left)
